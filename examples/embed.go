package examples

import "embed"

// Files are the manifests, in the order of their names; the expectations
// (expectations.yaml) are not among them.
//
//go:embed [0-9]*.yaml
var Files embed.FS
