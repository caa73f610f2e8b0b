package manifests

import (
	"io/fs"
	"path"
)

// A must-gather (oc adm must-gather, oc adm inspect) has the cluster's objects in
// two folders side by side, and beside these logs, metrics and reports of all
// kinds, some of them JSON and YAML that are no objects.
const (
	gatherCluster    = "cluster-scoped-resources"
	gatherNamespaces = "namespaces"
)

// gathered keeps what one walk has found out about must-gathers.
type gathered struct {
	fsys fs.FS
	is   map[string]bool // by folder
}

// aside says whether a file or folder lies in a must-gather beside its objects.
func (g *gathered) aside(p string) bool {
	base := path.Base(p)
	return p != "." && base != gatherCluster && base != gatherNamespaces && g.root(path.Dir(p))
}

// inside says whether a file lies among a must-gather's objects.
func (g *gathered) inside(p string) bool {
	for ; p != "." && p != "/"; p = path.Dir(p) {
		if base := path.Base(p); (base == gatherCluster || base == gatherNamespaces) && g.root(path.Dir(p)) {
			return true
		}
	}
	return false
}

// root says whether a folder is the root of a must-gather.
func (g *gathered) root(dir string) bool {
	is, known := g.is[dir]
	if !known {
		is = g.folder(path.Join(dir, gatherCluster)) && g.folder(path.Join(dir, gatherNamespaces))
		if g.is == nil {
			g.is = map[string]bool{}
		}
		g.is[dir] = is
	}
	return is
}

func (g *gathered) folder(p string) bool {
	info, err := fs.Stat(g.fsys, p)
	return err == nil && info.IsDir()
}
