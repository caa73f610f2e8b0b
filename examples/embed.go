package examples

import "embed"

// Files are the manifests, in the order of their names.
//
//go:embed *.yaml
var Files embed.FS
