package antrea

import "embed"

// Files are the manifests, in the order of their names.
//
//go:embed [0-9]*.yaml
var Files embed.FS
