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

// Options say what to read and how much of it to accept. The zero value of every
// field but Paths is a sensible default.
type Options struct {
	// Paths are files, folders (read recursively: .yaml, .yml, .json and those
	// with .gz behind), "-" for standard input and revisions of a git repository, git:REV:PATH.
	Paths []string
	// FS is read instead of the operating system's files when set (the built-in cluster).
	// Objects from it cannot be watched or written back.
	FS fs.FS
	// Stdin is read for "-"; nil is an empty input.
	Stdin io.Reader
	// Source is the id put into Origin.Source, "files" by default.
	Source string
	Limits Limits
	// SkipSchema leaves out gate 1; call Validate for each policy later.
	SkipSchema bool
	// Schemas replace those of gate 1 that Rung brings along; nil replaces none.
	Schemas *Schemas
	// Release is the release of network-policy-api whose CRDs judge AdminNetworkPolicies and
	// BaselineAdminNetworkPolicies where there are no Schemas: one of Releases. Where it is empty
	// ReleaseToday is assumed, which is said of what another one takes (model.Broken.Release).
	Release string
	// Progress is told of a first reading that takes long how many bytes of how many
	// were read, one call at a time; nil is not.
	Progress func(read, total int64)

	progress *readProgress // of the reading under way
	trees    *openTrees    // that paths name which are no files of the operating system
}

// Limits bound what one input may cost. Zero fields take the default.
type Limits struct {
	// FileSize is the size of one file in bytes, 32 MiB by default; dumps of
	// large clusters need more.
	FileSize int64
	// Expanded is the size of one compressed file once expanded, in bytes,
	// 256 MiB by default.
	Expanded int64
	// AliasNodes is how many nodes YAML aliases may expand to in one document,
	// 100,000 by default.
	AliasNodes int
}

// The defaults of Limits, but for AliasNodes: yamltree.DefaultAliasNodes.
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

// Policies lists the policies among the objects.
func (r *Result) Policies() []*model.Policy {
	var ps []*model.Policy
	for _, o := range r.Objects {
		if p, ok := o.(*model.Policy); ok {
			ps = append(ps, p)
		}
	}
	return ps
}

// Changeable lists what can be changed of the objects, each in the form of a policy.
func (r *Result) Changeable() []*model.Policy {
	var ps []*model.Policy
	for _, o := range r.Objects {
		if p := WrittenPolicy(o); p != nil {
			ps = append(ps, p)
		}
	}
	return ps
}

// WrittenPolicy is an object of a text in the form of a policy, nil for one that cannot be changed as a
// whole: of a namespace only the logging is.
func WrittenPolicy(o model.Object) *model.Policy {
	if o.ObjectKey().Kind == model.KindNamespace {
		return nil
	}
	return model.AsPolicy(o)
}

// FileState is the state of a file when it was read: what ReadUnchanged compares
// with before it changes anything.
type FileState struct {
	// Path is as in Origin.File.
	Path string
	Sum  [sha256.Size]byte // of the bytes on disk
	Size int64
	// At is when it was read; zero for text in memory.
	At time.Time
	// Writable says whether ExchangeText can change it: a plain file on disk, not
	// compressed.
	Writable bool
}
