'use strict';
// Runs the script of pages in a document of a few lines: it has to be one that the policy of the page lets run,
// nothing may go wrong, and it has to try every column, overlay and layer.
//   node page_test.js WRITE_PAGES FOLDER     on the pages that the program writes
//   node page_test.js PAGE.html ...          on these
const assert = require('assert');
const { execFileSync } = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };
const decoded = (text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]);

class Element {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, nodes: [], parent: null, listeners: {}, hidden: false, value: '' });
    this.classList = {
      toggle: (name, on) => {
        const names = (this.attributes.class || '').split(' ').filter((other) => other !== '' && other !== name);
        this.attributes.class = (on ? names.concat(name) : names).join(' ');
      },
    };
    const attribute = (key) => 'data-' + key;
    this.dataset = new Proxy({}, {
      get: (_, key) => this.attributes[attribute(key)],
      set: (_, key, value) => { this.attributes[attribute(key)] = value; return true; },
    });
  }
  get children() { return this.nodes.filter((node) => node instanceof Element); }
  get textContent() { return this.nodes.map((node) => (node instanceof Element ? node.textContent : node)).join(''); }
  set textContent(text) { this.nodes = [text]; }
  getAttribute(name) { return name in this.attributes ? this.attributes[name] : null; }
  setAttribute(name, value) {
    assert(!/NaN|undefined|null/.test(value), `${name}="${value}"`);
    this.attributes[name] = value;
  }
  append(node) {
    if (node.parent) node.parent.nodes.splice(node.parent.nodes.indexOf(node), 1);
    node.parent = this;
    this.nodes.push(node);
  }
  replaceChildren() { this.nodes = []; }
  addEventListener(type, act) { (this.listeners[type] ||= []).push(act); }
  send(type, event) { (this.listeners[type] || []).forEach((act) => act({ preventDefault() {}, ...event })); }
  click() { this.send('click', {}); }
  focus() {}
  select() {}
  *all() { for (const child of this.children) { yield child; yield* child.all(); } }
  is(simple) {
    const [, tag, classes, attribute] = /^([a-z]*)((?:\.[a-z]+)*)(?:\[([a-z-]+)\])?$/.exec(simple);
    const names = (this.attributes.class || '').split(' ');
    return (tag === '' || tag === this.tag) && (!attribute || attribute in this.attributes) &&
      classes.split('.').slice(1).every((name) => names.includes(name));
  }
  querySelectorAll(selector) {
    return selector.split(' ').reduce((from, simple) => {
      const found = new Set();
      for (const element of from) for (const child of element.all()) if (child.is(simple)) found.add(child);
      return [...found];
    }, [this]);
  }
  querySelector(selector) { return this.querySelectorAll(selector)[0] || null; }
}

const EMPTY = new Set(['meta']);

/** The elements of a page; its tags must be in order. */
function parsed(page) {
  const root = new Element('document');
  const open = [root];
  const token = /<(\/?)([a-z0-9]+)((?:\s+[a-zA-Z0-9-]+(?:="[^"<>]*")?)*)\s*(\/?)>|<!doctype html>|([^<]+)/g;
  let end = 0;
  for (let match = token.exec(page); match; match = token.exec(page)) {
    assert.strictEqual(match.index, end, `no HTML: ${page.slice(end, end + 60)}`);
    end = token.lastIndex;
    const [, slash, tag, attributes, closed, text] = match;
    const top = open[open.length - 1];
    if (text) { top.nodes.push(decoded(text)); continue; }
    if (!tag) continue;
    if (slash) { assert.strictEqual(open.pop().tag, tag); continue; }
    const element = new Element(tag);
    for (const [, name, value] of attributes.matchAll(/([a-zA-Z0-9-]+)(?:="([^"]*)")?/g))
      element.attributes[name] = decoded(value || '');
    top.append(element);
    if (tag === 'script' || tag === 'style') {
      const until = page.indexOf(`</${tag}>`, end);
      element.nodes.push(page.slice(end, until));
      end = until + tag.length + 3;
      token.lastIndex = end;
    } else if (!closed && !EMPTY.has(tag)) open.push(element);
  }
  assert.strictEqual(end, page.length);
  assert.strictEqual(open.length, 1);
  return root;
}

const hash = (text) => `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`;

/** Runs the script of a page; returns its document and what it has tried. */
function run(page, address) {
  const root = parsed(page);
  const html = root.querySelector('html');
  const scripts = root.querySelectorAll('script');
  const code = scripts.filter((script) => !('type' in script.attributes)).map((script) => script.textContent);
  assert.strictEqual(code.length, 1);
  const policy = root.querySelectorAll('meta').map((meta) => meta.attributes.content).find((text) => /default-src/.test(text));
  assert(policy.includes(`script-src ${hash(code[0])};`), 'the policy blocks the script');
  assert(policy.includes(`style-src ${hash(root.querySelector('style').textContent)};`), 'the policy blocks the style');
  const copied = [];
  const document = {
    documentElement: html,
    querySelectorAll: (selector) => root.querySelectorAll(selector),
    getElementById: (id) => [...root.all()].find((element) => element.attributes.id === id) || null,
    createElement: (tag) => new Element(tag),
  };
  const window = { location: { hash: address }, addEventListener() {} };
  const navigator = { clipboard: { writeText: (text) => { copied.push(text); return { catch() {} }; } } };
  vm.runInNewContext(code[0], { document, window, navigator });
  return { root, html, copied, document };
}

const unquoted = (line) => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].slice(0, -1)
  .map((match) => match[1].replace(/^"|"$/g, '').replace(/""/g, '"'));

function check(file) {
  const page = fs.readFileSync(file, 'utf8');
  const { root, html, copied, document } = run(page, '#check');
  const report = JSON.parse(document.getElementById('data').textContent);
  const layers = report.layers || [];
  assert.strictEqual(html.dataset.errors, '0', `${file}: data-errors`);
  assert.strictEqual(html.dataset.ready, String(layers.length), `${file}: data-ready`);
  const heads = root.querySelectorAll('th[data-key]');
  const overlays = root.querySelectorAll('button[data-overlay]');
  assert.strictEqual(html.dataset.checked, `${heads.length} ${overlays.length} ${root.querySelectorAll('g.node').length}`);
  if (layers.length === 0) return;
  // The table as CSV: a line for each layer, as many fields as columns.
  if (!/[\n"]/.test(layers.map((layer) => layer.name).join(''))) {
    const lines = copied[0].split('\n');
    assert.strictEqual(lines.length, layers.length + 2);
    assert.deepStrictEqual(lines[0].split(','), heads.map((head) => head.dataset.key));
    assert.deepStrictEqual(lines.slice(1, -1).map((line) => unquoted(line)[0]), layers.map((layer) => layer.name));
  }
  if (/hostile/.test(file)) return;  // #check has tried everything once
  sorts(page, layers);
  overlaysAre(page, layers);
  keys(page);
}

/** Numbers ascend, then descend; layers without one come last. */
function sorts(page, layers) {
  const { root } = run(page, '');
  for (const head of root.querySelectorAll('th[data-key]')) {
    const key = head.dataset.key;
    for (const sign of [1, -1]) {
      head.querySelector('button').click();
      const rows = root.querySelectorAll('tbody tr').filter((row) => 'data-i' in row.attributes);
      assert.strictEqual(rows.length, layers.length);
      const values = rows.map((row) => layers[row.dataset.i][key]).filter((value) => typeof value === 'number');
      values.slice(1).forEach((value, i) => assert(sign * (value - values[i]) >= 0, key));
      const first = rows.findIndex((row) => typeof layers[row.dataset.i][key] !== 'number');
      assert(first < 0 || values.length === 0 || first === values.length, `${key}: layers without one come last`);
    }
  }
}

/** The longest bar is that of the largest number. */
function overlaysAre(page, layers) {
  const { root } = run(page, '');
  for (const button of root.querySelectorAll('button[data-overlay]')) {
    button.click();
    const key = button.dataset.overlay;
    const widths = root.querySelectorAll('.bar').map((bar) => Number(bar.getAttribute('width')));
    assert.strictEqual(widths.length, layers.length);
    if (key === 'kernel') continue;
    const most = Math.max(...layers.map((layer) => layer[key] || 0));
    if (most > 0) layers.forEach((layer, i) => assert.strictEqual(layer[key] === most, widths[i] === Math.max(...widths), key));
    const pressed = root.querySelectorAll('button[data-overlay]').filter((b) => b.getAttribute('aria-pressed') === 'true');
    assert.deepStrictEqual(pressed, [button]);
  }
}

/** Arrow keys go from layer to layer, and one alone can be reached by Tab. */
function keys(page) {
  const { root } = run(page, '');
  const nodes = root.querySelectorAll('g.node');
  nodes[0].send('keydown', { key: 'End' });
  const chosen = () => nodes.findIndex((node) => node.is('.on'));
  assert.strictEqual(chosen(), nodes.length - 1);
  nodes[nodes.length - 1].send('keydown', { key: 'ArrowDown' });
  nodes[nodes.length - 1].send('keydown', { key: 'ArrowUp' });
  assert.strictEqual(chosen(), nodes.length - 2);
  assert.strictEqual(nodes.filter((node) => node.getAttribute('tabindex') === '0').length, 1);
  assert(root.querySelectorAll('dd').length > 3);
}

let files = process.argv.slice(2);
if (!files[0].endsWith('.html')) {
  const [program, folder] = files;
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  execFileSync(program, [folder]);
  files = fs.readdirSync(folder).map((file) => path.join(folder, file));
}
for (const file of files) {
  try {
    check(file);
  } catch (error) {
    console.error(`${file}: ${error.stack}`);
    process.exitCode = 1;
  }
}
console.log(`${files.length} pages`);
