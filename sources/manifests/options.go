package manifests

import (
	"cmp"
	"crypto/sha256"
	"io"
	"io/fs"
	"time"

	"rung/model"
	"rung/sources/manifests/yamltree"
)

// Options say what to read and how much to accept. Zero values are sensible defaults, except for Paths.
type Options struct {
	// Paths are files, folders (read recursively: .yaml, .yml, .json, also with .gz), "-" for standard input,
	// and revisions of a git repository, git:REV:PATH.
	Paths []string
	// FS, if set, replaces the operating system's files (the built-in cluster), without watch and write-back.
	FS fs.FS
	// Stdin is read for "-"; nil is empty.
	Stdin io.Reader
	// Source is the id put into Origin.Source, "files" by default.
	Source string
	Limits Limits
	// SkipSchema omits gate 1; call Validate for each policy later.
	SkipSchema bool
	// Schemas replace Rung's built-in schemas of gate 1; nil replaces none.
	Schemas *Schemas
	// Release is the release of network-policy-api whose CRDs validate AdminNetworkPolicies and
	// BaselineAdminNetworkPolicies without Schemas: one of Releases. Empty means ReleaseToday; errors then
	// name a release that accepts the object (model.Broken.Release).
	Release string
	// Progress receives the bytes read and in total during a long first reading, one call at a time.
	Progress func(read, total int64)

	progress *readProgress         // of the present reading
	trees    map[string]openedTree // by path; nil before openTrees
}

// Limits bound the cost of one input. Zero fields mean the default.
type Limits struct {
	// FileSize bounds one file in bytes, 32 MiB by default; dumps of large clusters need more.
	FileSize int64
	// Expanded bounds one decompressed file in bytes, 256 MiB by default.
	Expanded int64
	// AliasNodes bounds the nodes that YAML aliases expand to in one document, 100,000 by default.
	AliasNodes int
}

// The defaults of Limits, except AliasNodes: yamltree.DefaultAliasNodes.
const (
	DefaultFileSize = 32 << 20
	DefaultExpanded = 256 << 20
)

func (o Options) withDefaults() Options {
	o.Source = cmp.Or(o.Source, "files")
	o.Limits = Limits{FileSize: cmp.Or(max(o.Limits.FileSize, 0), DefaultFileSize), Expanded: cmp.Or(max(o.Limits.Expanded, 0),
		DefaultExpanded),
		AliasNodes: cmp.Or(max(o.Limits.AliasNodes, 0), yamltree.DefaultAliasNodes)}
	return o
}

// Result is the outcome of Read. Objects and Broken are in the order of the input.
type Result struct {
	Objects []model.Object
	Broken  []model.Broken
	Files   []FileState
}

// Changeable returns the changeable objects as policies.
func (r *Result) Changeable() []*model.Policy {
	var ps []*model.Policy
	for _, o := range r.Objects {
		if p := WrittenPolicy(o); p != nil {
			ps = append(ps, p)
		}
	}
	return ps
}

// WrittenPolicy returns an object as a policy; nil unless it can be changed as a whole, as namespaces cannot.
func WrittenPolicy(o model.Object) *model.Policy {
	if o.ObjectKey().Kind == model.KindNamespace {
		return nil
	}
	return model.AsPolicy(o)
}

// FileState is the state of a file when read. ReadUnchanged compares it before a change.
type FileState struct {
	// Path is the same as in Origin.File.
	Path string
	Sum  [sha256.Size]byte // of the bytes on disk
	Size int64
	// At is the time of reading; zero for text in memory.
	At time.Time
	// Writable means ExchangeText can change the file: a plain, uncompressed file on disk.
	Writable bool
}
