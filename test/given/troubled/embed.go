package troubled

import "embed"

// Files are the manifests, in the order of their names; expectations.yaml is not among them.
//
//go:embed [0-9]*.yaml
var Files embed.FS
