package manifests

import (
	"io/fs"
	"path"
)

// A must-gather (oc adm must-gather, oc adm inspect) has the cluster's objects in these two folders, next to
// logs, metrics and reports, some of them JSON and YAML without objects.
const (
	gatherCluster    = "cluster-scoped-resources"
	gatherNamespaces = "namespaces"
)

// gatherFolders finds the must-gathers of a tree.
type gatherFolders struct{ fs.FS }

// isOutsideObjects reports whether a path is in a must-gather but outside its objects.
func (g gatherFolders) isOutsideObjects(p string) bool {
	base := path.Base(p)
	return p != "." && base != gatherCluster && base != gatherNamespaces && g.isRoot(path.Dir(p))
}

// isInside reports whether a file is among a must-gather's objects.
func (g gatherFolders) isInside(p string) bool {
	for ; p != "." && p != "/"; p = path.Dir(p) {
		if base := path.Base(p); (base == gatherCluster || base == gatherNamespaces) && g.isRoot(path.Dir(p)) {
			return true
		}
	}
	return false
}

// isRoot reports whether a folder is the root of a must-gather.
func (g gatherFolders) isRoot(dir string) bool {
	return g.isFolder(path.Join(dir, gatherCluster)) && g.isFolder(path.Join(dir, gatherNamespaces))
}

func (g gatherFolders) isFolder(p string) bool {
	info, err := fs.Stat(g, p)
	return err == nil && info.IsDir()
}
