#!/bin/sh
# Writes all.yaml from the files that kustomization.yaml names.
set -eu
cd "$(dirname "$0")"
sed -n 's/^- //p' kustomization.yaml | while read -r file; do
  echo "---"
  cat "$file"
done > all.yaml
