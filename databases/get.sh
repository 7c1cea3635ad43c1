#!/usr/bin/env bash
# Downloads public data sets into the data root, as the database drivers look for them.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
known=(mnist fashion-mnist cifar10 cifar100 gtsrb)

usage() {
  cat <<'END'
usage: databases/get.sh NAME [NAME...]

  mnist          60,000 + 10,000 digits, 12 MB          -> mnist/
  fashion-mnist  60,000 + 10,000 clothes, 31 MB         -> fashion-mnist/data/fashion/
  cifar10        50,000 + 10,000 photographs, 170 MB    -> cifar-10-batches-bin/
  cifar100       50,000 + 10,000 photographs, 170 MB    -> cifar-100-binary/
  gtsrb          39,209 + 12,630 traffic signs, 366 MB  -> GTSRB/

Each archive is checked (databases/checksums.txt) before anything of it is in place. What was interrupted continues
when the script runs again.

  N2D2_DATA       data root; without it /local/$USER/n2d2_data
  N2D2_MIRROR     where to download from instead: $N2D2_MIRROR/NAME/FILE
  N2D2_CHECKSUMS  another list of checksums, for archives of your own
END
}

say() { echo "get.sh: $*"; }
fail() { echo "get.sh: $*" >&2; exit 1; }

# URLs of a file of a set, best first.
urls_of() {
  local name=$1 file=$2
  if [ -n "${N2D2_MIRROR:-}" ]; then
    echo "${N2D2_MIRROR%/}/$name/$file"
    return
  fi
  case $name in
    mnist)
      echo "https://storage.googleapis.com/cvdf-datasets/mnist/$file"
      echo "https://ossci-datasets.s3.amazonaws.com/mnist/$file" ;;
    fashion-mnist)
      echo "https://github.com/zalandoresearch/fashion-mnist/raw/master/data/fashion/$file"
      echo "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/$file" ;;
    cifar10 | cifar100) echo "https://www.cs.toronto.edu/~kriz/$file" ;;
    gtsrb) echo "https://sid.erda.dk/public/archives/daaeac0d7ce1152aea9b61d9f1e19370/$file" ;;
  esac
}

# matches PATH SET/FILE: whether the file has its published checksum; says so when none is published.
matches() {
  local path=$1 algorithm value
  read -r algorithm value _ < <(awk -v key="$2" '$3 == key && !/^#/' "$checksums") || true
  if [ -z "${value:-}" ]; then
    say "$2: no checksum in $checksums, the download is not checked"
    return 0
  fi
  [ "$("${algorithm}sum" "$path" | cut -d' ' -f1)" = "$value" ] || return 1
  [ "$algorithm" = sha256 ] || say "$2: checked by ${algorithm^^}; no SHA-256 of it is published"
}

# transfer URL PATH: continues the file; from the start where the server cannot.
transfer() {
  local status=0
  curl -fsSL --connect-timeout 20 --speed-limit 1 --speed-time 60 -C - -o "$2" "$1" || status=$?
  # 33: the server knows no ranges; 22: it answers a range beyond the end with an error.
  if [ -s "$2" ] && { [ $status -eq 33 ] || [ $status -eq 22 ]; }; then
    status=0
    curl -fsSL --connect-timeout 20 --speed-limit 1 --speed-time 60 -o "$2" "$1" || status=$?
  fi
  return $status
}

# fetch NAME FILE PATH: the checked archive at PATH; PATH.part while it is not complete.
fetch() {
  local name=$1 file=$2 path=$3 url attempt is_wrong=""
  [ ! -f "$path" ] || return 0
  for attempt in 1 2 3; do
    for url in $(urls_of "$name" "$file"); do
      say "$url"
      transfer "$url" "$path.part" || continue
      if matches "$path.part" "$name/$file"; then
        mv "$path.part" "$path"
        return 0
      fi
      say "$file: the checksum is not that of $checksums, the download is thrown away"
      is_wrong=1
      rm -f "$path.part"
    done
    [ "$attempt" = 3 ] || sleep "${N2D2_RETRY_SECONDS:-2}"
  done
  [ -z "$is_wrong" ] || fail "$name: $file: no place has the file of the published checksum; nothing was changed"
  fail "$name: $file could not be downloaded; run the script again to continue, or set N2D2_MIRROR"
}

# unpack ARCHIVE FOLDER
unpack() {
  case $1 in
    *.tar.gz) tar -xzf "$1" -C "$2" ;;
    *.zip) python3 -m zipfile -e "$1" "$2" ;;
    *) cp "$1" "$2" ;;
  esac
}

# is_there FOLDER FILE...: all files are in the folder, perhaps as .gz.
is_there() {
  local folder=$1 file
  shift
  for file; do
    [ -e "$folder/$file" ] || [ -e "$folder/$file.gz" ] || return 1
  done
}

# get NAME FOLDER INSIDE FILES -- ARCHIVE...: FOLDER below the root gets what the archives hold in INSIDE ("" for all).
get() {
  local name=$1 folder=$2 inside=$3 files archive work
  read -ra files <<<"$4"
  shift 4
  if is_there "$root/$folder" "${files[@]}"; then
    say "$name: is in $root/$folder already"
    return
  fi
  [ ! -e "$root/$folder" ] || [ -z "$(ls -A "$root/$folder")" ] ||
    fail "$name: $root/$folder is there, but not complete; move it away and run the script again"
  work="$root/.get-$name"
  mkdir -p "$work"
  exec 9>"$work/lock"
  flock -n 9 || fail "$name: another get.sh is at it"
  for archive; do fetch "$name" "$archive" "$work/$archive"; done
  rm -rf "$work/unpacked"
  mkdir "$work/unpacked"
  for archive; do
    unpack "$work/$archive" "$work/unpacked" || fail "$name: $archive cannot be unpacked"
  done
  case $name in
    gtsrb) mv "$work/unpacked/GT-final_test.csv" "$work/unpacked/$inside" || fail "$name: no GT-final_test.csv in it" ;;
  esac
  is_there "$work/unpacked/$inside" "${files[@]}" ||
    fail "$name: the archives do not hold all of: ${files[*]}; nothing was changed"
  mkdir -p "$(dirname "$root/$folder")"
  [ ! -d "$root/$folder" ] || rmdir "$root/$folder"
  mv -T "$work/unpacked${inside:+/$inside}" "$root/$folder"
  rm -rf "$work"
  say "$name: in $root/$folder"
}

idx="train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte"
get_set() {
  local gz=()
  for file in $idx; do gz+=("$file.gz"); done
  case $1 in
    mnist) get mnist mnist "" "$idx" "${gz[@]}" ;;
    fashion-mnist) get fashion-mnist fashion-mnist/data/fashion "" "$idx" "${gz[@]}" ;;
    cifar10)
      get cifar10 cifar-10-batches-bin cifar-10-batches-bin \
        "$(echo data_batch_{1..5}.bin) test_batch.bin batches.meta.txt" cifar-10-binary.tar.gz ;;
    cifar100)
      get cifar100 cifar-100-binary cifar-100-binary \
        "train.bin test.bin fine_label_names.txt coarse_label_names.txt" cifar-100-binary.tar.gz ;;
    gtsrb)
      get gtsrb GTSRB GTSRB "Final_Training/Images Final_Test/Images GT-final_test.csv" \
        GTSRB_Final_Training_Images.zip GTSRB_Final_Test_Images.zip GTSRB_Final_Test_GT.zip ;;
  esac
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  "") usage >&2; exit 2 ;;
esac
for name; do
  [[ " ${known[*]} " == *" $name "* ]] || { echo "get.sh: unknown data set '$name'; known: ${known[*]}" >&2; exit 2; }
done
for tool in curl awk tar python3 flock; do
  command -v "$tool" >/dev/null || { echo "get.sh: '$tool' is needed and not installed" >&2; exit 2; }
done
root=${N2D2_DATA:-/local/${USER:+$USER/}n2d2_data}
mkdir -p "$root" || { echo "get.sh: '$root' cannot be made; set N2D2_DATA" >&2; exit 2; }
root=$(cd "$root" && pwd)
checksums=${N2D2_CHECKSUMS:-$here/checksums.txt}
[ -r "$checksums" ] || { echo "get.sh: no list of checksums '$checksums'" >&2; exit 2; }
for name; do get_set "$name"; done
