#!/bin/sh
# Links every built module below one folder, as installed ones lie: ROOT/stages, ROOT/plugins/source, ROOT/plugins/sink.
# link-modules.sh STAMP ROOT MODULE...
# SPDX-License-Identifier: MIT
set -e
stamp=$1 root=$2
shift 2
rm -rf "$root"
mkdir -p "$root/stages" "$root/plugins/source" "$root/plugins/sink" "$root/rooms"
for module; do
  case $module in
  */plugins/source/* | plugins/source/*) part=plugins/source ;;
  */plugins/sink/* | plugins/sink/*) part=plugins/sink ;;
  */core/sql/* | core/sql/*) part=rooms ;;
  *) part=stages ;;
  esac
  ln -s "$(realpath "$module")" "$root/$part/"
done
touch "$stamp"
