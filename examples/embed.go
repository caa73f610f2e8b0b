package examples

import "embed"

// Files are the manifests, in the order of their names. What is expected of them
// (expectations.yaml) is none.
//
//go:embed [0-9]*.yaml
var Files embed.FS
