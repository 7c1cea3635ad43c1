'use strict';
// What the page does beyond being read: sorts, changes the overlay of the graph, marks a layer everywhere, copies
// CSV. Texts of the report go to the page through textContent only. <html data-errors> counts what went wrong,
// data-ready the rows of the table once all is set up; with #check in the address the page tries everything.
(() => {
  const root = document.documentElement;
  let errors = 0;
  const failed = () => { errors += 1; root.dataset.errors = String(errors); };
  root.dataset.errors = '0';
  window.addEventListener('error', failed);
  window.addEventListener('securitypolicyviolation', failed);
  const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
  const byId = (id) => document.getElementById(id);
  const report = JSON.parse(byId('data').textContent);
  const layers = report.layers || [];
  const table = byId('layers');
  const heads = table ? all('th[data-key]', table) : [];
  const rows = table ? all('tbody tr', table) : [];
  const keys = heads.map((head) => head.dataset.key);
  const titles = heads.map((head) => head.textContent);
  const nodes = all('g.node');
  const rowOf = (i) => rows.find((row) => row.dataset.i === String(i));
  const cellOf = (i, key) => rowOf(i).children[keys.indexOf(key)].textContent;

  // ---- sorting
  const isNumber = (value) => typeof value === 'number';
  function compare(key, sign) {
    return (a, b) => {
      const x = layers[a.dataset.i][key];
      const y = layers[b.dataset.i][key];
      if (isNumber(x) && isNumber(y) && x !== y) return sign * (x - y);
      if (isNumber(x) !== isNumber(y)) return isNumber(x) ? -1 : 1;
      const s = cellOf(a.dataset.i, key);
      const t = cellOf(b.dataset.i, key);
      if (!isNumber(x) && s !== t) return sign * (s < t ? -1 : 1);
      return a.dataset.i - b.dataset.i;
    };
  }
  function sort(head) {
    const down = head.getAttribute('aria-sort') === 'ascending';
    heads.forEach((other) => other.setAttribute('aria-sort', 'none'));
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const body = table.querySelector('tbody');
    rows.slice().sort(compare(head.dataset.key, down ? -1 : 1)).forEach((row) => body.append(row));
  }

  // ---- overlays of the graph
  const overlays = all('button[data-overlay]');
  function show(key) {
    const length = Number(byId('graph').dataset.length);
    const numbers = layers.map((layer) => layer[key]);
    const isText = key === 'kernel';
    const most = Math.max(0, ...numbers.filter(isNumber));
    const colours = new Map();
    nodes.forEach((node, i) => {
      const text = cellOf(i, key);
      const bar = node.querySelector('.bar');
      if (!colours.has(text)) colours.set(text, colours.size % 10);
      const share = most > 0 && isNumber(numbers[i]) ? Math.max(0, numbers[i]) / most : 0;
      const width = isText ? (text === '' ? 0 : length) : length * share;
      bar.setAttribute('width', width.toFixed(1));
      bar.setAttribute('class', 'bar c' + (isText ? colours.get(text) : 0));
      const value = node.querySelector('.value');
      value.setAttribute('x', (Number(bar.getAttribute('x')) + width + 6).toFixed(1));
      value.textContent = text;
    });
    overlays.forEach((button) => button.setAttribute('aria-pressed', String(button.dataset.overlay === key)));
  }

  // ---- one layer, everywhere
  const isOf = (name, of) => of === name || of.startsWith(name + ':');
  function mark(element, on) {
    if (element) element.classList.toggle('on', on);
  }
  function select(i) {
    const layer = layers[i];
    nodes.forEach((node, k) => {
      mark(node, k === i);
      node.setAttribute('tabindex', k === i ? '0' : '-1');
      node.setAttribute('aria-pressed', String(k === i));
    });
    rows.forEach((row) => mark(row, row.dataset.i === String(i)));
    all('g.map').forEach((box) => mark(box, isOf(layer.name, box.dataset.name)));
    all('figure.histogram').forEach((figure) => mark(figure, figure.dataset.name === layer.name));
    const details = byId('details');
    const items = keys.map((key, k) => [titles[k], cellOf(i, key)]);
    items.push(['why this kernel', layer.why || ''], ['notes', (layer.notes || []).join('; ')]);
    details.replaceChildren();
    items.filter((item) => item[1] !== '').forEach((item) => {
      ['dt', 'dd'].forEach((kind, k) => {
        const element = document.createElement(kind);
        element.textContent = item[k];
        details.append(element);
      });
    });
  }
  function step(i, event) {
    const next = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: nodes.length - 1, Enter: i, ' ': i }[event.key];
    if (next === undefined || !nodes[next]) return;
    event.preventDefault();
    select(next);
    nodes[next].focus();
  }

  // ---- CSV
  const quoted = (text) => (/[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);
  function csv() {
    const field = (layer, i, key) => String(isNumber(layer[key]) ? layer[key] : cellOf(i, key));
    const lines = layers.map((layer, i) => keys.map((key) => quoted(field(layer, i, key))).join(','));
    return [keys.join(',')].concat(lines).join('\n') + '\n';
  }
  function copy() {
    const text = byId('csv');
    text.value = csv();
    text.hidden = false;
    text.focus();
    text.select();
    if (navigator.clipboard) navigator.clipboard.writeText(text.value).catch(() => {});
  }

  // ---- everything at work
  function tell(element) {
    const text = element.getAttribute('aria-label');
    if (text) byId('told').textContent = text;
  }
  function setUp() {
    heads.forEach((head) => head.querySelector('button').addEventListener('click', () => sort(head)));
    rows.forEach((row) => row.addEventListener('click', () => select(Number(row.dataset.i))));
    nodes.forEach((node, i) => {
      node.addEventListener('click', () => select(i));
      node.addEventListener('keydown', (event) => step(i, event));
    });
    all('g.map').forEach((box) => {
      box.addEventListener('mouseover', () => tell(box));
      const i = layers.findIndex((layer) => isOf(layer.name, box.dataset.name));
      if (i >= 0 && nodes[i]) box.addEventListener('click', () => select(i));
    });
    overlays.forEach((button) => button.addEventListener('click', () => show(button.dataset.overlay)));
    if (byId('copy')) byId('copy').addEventListener('click', copy);
  }
  function isSorted(head) {
    const sign = head.getAttribute('aria-sort') === 'ascending' ? 1 : -1;
    const now = all('tbody tr', table);
    const order = compare(head.dataset.key, sign);
    return now.length === rows.length && now.every((row, i) => i === 0 || order(now[i - 1], row) < 0);
  }
  /** Tries every button; returns what it tried, or counts errors. */
  function check() {
    const expect = (truth) => { if (!truth) failed(); };
    heads.concat(heads).forEach((head) => { head.querySelector('button').click(); expect(isSorted(head)); });
    const widths = () => all('.bar').map((bar) => Number(bar.getAttribute('width')));
    overlays.forEach((button) => {
      button.click();
      expect(button.getAttribute('aria-pressed') === 'true' && widths().every((width) => width >= 0));
    });
    nodes.forEach((node, i) => { select(i); expect(all('g.node.on').length === 1 && all('tr.on').length === 1); });
    if (byId('copy')) { copy(); expect(csv().split('\n').length > layers.length); }
    root.dataset.checked = [heads.length, overlays.length, nodes.length].join(' ');
  }
  setUp();
  if (window.location.hash === '#check') check();
  root.dataset.ready = String(rows.length);
})();
