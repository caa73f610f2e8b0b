package manifests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"rung/model/words"
)

// listLimit bounds the list of a revision's files, in bytes: a million files have some 100 MB.
const listLimit = 256 << 20

// foundRef is a reference that exists.
type foundRef struct {
	root string      // the tree of the revision
	at   string      // the path from the root
	what foundObject // what is at the path
}

// Check says why a reference cannot be read, nil if it can. The errors here do not name it.
func Check(ctx context.Context, ref Ref) error {
	_, err := findEntry(ctx, ref)
	return err
}

// find asks git for a reference.
func findEntry(ctx context.Context, ref Ref) (f foundRef, err error) {
	prefix := ""
	if ref.isRelative() {
		text, err := runGit(ctx, "", findLimit, "rev-parse", "--show-prefix")
		if err != nil {
			return f, err
		}
		prefix = strings.TrimSuffix(string(text), "\n")
	}
	if f.at, err = ref.placed(prefix); err != nil {
		return f, err
	}
	names := []string{ref.Rev + "^{tree}"}
	if f.at != "." {
		names = append(names, ref.Rev+":"+f.at)
	}
	found, err := findObjects(ctx, names)
	if err != nil {
		return f, err
	}
	switch found[0].kind {
	case "tree":
	case "ambiguous":
		return f, fmt.Errorf("%s names several objects; write more of it", ref.Rev)
	default:
		return f, noRevision(ctx, ref.Rev)
	}
	f.root, f.what = found[0].id, found[len(found)-1]
	switch f.what.kind {
	case "tree", "blob":
		return f, nil
	case "symlink":
		return f, fmt.Errorf("%s is a link that leaves the revision", f.at)
	case "dangling", "loop", "notdir":
		return f, fmt.Errorf("%s is a link to nothing", f.at)
	}
	listed, err := runGit(ctx, "", findLimit, "ls-tree", "-z", "--full-tree", "--end-of-options", f.root, f.at)
	if err == nil && strings.HasPrefix(string(listed), submoduleMode) {
		return f, fmt.Errorf("%s is a submodule, which Rung does not read", f.at)
	}
	return f, fmt.Errorf("there is no %s in the revision %s", f.at, ref.Rev)
}

// The modes of what is no file, in git's lists.
const (
	submoduleMode = "160000"
	linkMode      = "120000"
)

// noRevision says that there is no such revision, and in a shallow clone how to get it.
func noRevision(ctx context.Context, rev string) error {
	text := "there is no revision " + rev + " in this repository"
	out, err := runGit(ctx, "", findLimit, "rev-parse", "--is-shallow-repository")
	if err == nil && strings.TrimSpace(string(out)) == "true" {
		text += ", a shallow clone: fetch it, as with git fetch --depth=1 origin BRANCH, which makes it FETCH_HEAD"
	}
	return errors.New(text)
}

// Tree is a revision's files, or those of one folder in it. It is an fs.FS of the whole
// revision, in which Top is what was asked for.
type Tree struct {
	ref        Ref
	top        string
	entries    map[string]*entry
	linked     map[string]bool // the objects that links lead to
	submodules []string

	ctx   context.Context
	mu    sync.Mutex // of blobs
	blobs *blobReader
}

// entry is a file or folder of a tree.
type entry struct {
	name    string // the last part of its path
	mode    fs.FileMode
	id      string // of the object with its text
	size    int64
	err     error    // why it has no text although it is there
	target  *entry   // of a link
	entries []*entry // of a folder
}

// Open lists the files of a reference; those that are wanted can be read, until ctx ends.
func Open(ctx context.Context, ref Ref, wanted func(path string) bool) (*Tree, error) {
	found, err := findEntry(ctx, ref)
	if err != nil {
		return nil, err
	}
	t := &Tree{ref: ref, top: found.at, ctx: ctx, entries: map[string]*entry{}, linked: map[string]bool{}}
	t.folder(".")
	if found.what.kind == "blob" {
		t.add(found.at, &entry{mode: 0o444, id: found.what.id, size: found.what.size})
		return t, nil
	}
	t.folder(found.at)
	text, err := runGit(ctx, "", listLimit, "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", found.what.id)
	if err == nil {
		err = t.takeList(text)
	}
	if err == nil {
		err = t.findFiles(ctx, found.root, wanted)
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// takeList takes in the output of ls-tree: mode, type, id and path of each file.
func (t *Tree) takeList(text []byte) error {
	for line := range bytes.SplitSeq(bytes.TrimSuffix(text, []byte{0}), []byte{0}) {
		if len(line) == 0 {
			continue
		}
		head, name, ok := strings.Cut(string(line), "\t")
		words := strings.Fields(head)
		if !ok || len(words) != 3 || !isObjectID(words[2]) {
			return errAnswer
		}
		p := path.Join(t.top, name)
		e := &entry{mode: 0o444, id: words[2]}
		switch words[0] {
		case submoduleMode:
			t.submodules = append(t.submodules, p)
			continue
		case linkMode:
			e.mode |= fs.ModeSymlink
		}
		t.add(p, e)
	}
	return nil
}

// add puts an entry at its path.
func (t *Tree) add(p string, e *entry) {
	e.name = path.Base(p)
	t.entries[p] = e
	above := t.folder(path.Dir(p))
	above.entries = append(above.entries, e)
}

// folder is the folder at a path, made where there is none yet.
func (t *Tree) folder(p string) *entry {
	if e := t.entries[p]; e != nil {
		return e
	}
	e := &entry{name: path.Base(p), mode: fs.ModeDir | 0o555}
	t.entries[p] = e
	if p != "." {
		above := t.folder(path.Dir(p))
		above.entries = append(above.entries, e)
	}
	return e
}

// findFiles asks git for the sizes of the files that are wanted, and where links lead; git follows
// them inside the revision.
func (t *Tree) findFiles(ctx context.Context, root string, wanted func(string) bool) error {
	var files []*entry
	var names []string
	for p, e := range t.entries {
		switch isLink := e.mode&fs.ModeSymlink != 0; {
		case e.IsDir():
			continue
		case !wanted(p), !words.IsClean(p): // a name with a line feed would be two
			e.err = errNotWanted
			continue
		case isLink:
			names = append(names, root+":"+p)
		default:
			names = append(names, e.id)
		}
		files = append(files, e)
	}
	if len(files) == 0 {
		return nil
	}
	found, err := findObjects(ctx, names)
	if errors.Is(err, errNotHere) {
		found, err = findPresent(ctx, root, names)
	}
	if err != nil {
		return err
	}
	for i, f := range found {
		files[i].place(f, t.linked)
	}
	return nil
}

// findPresent is findObjects in a clone without some of the objects below a tree: git gives up at
// the first of them, and is asked for the others once it has listed them.
func findPresent(ctx context.Context, root string, names []string) ([]foundObject, error) {
	text, err := runGit(ctx, "", listLimit, "rev-list", "--objects", "--missing=print", "--no-object-names", "--end-of-options", root)
	if err != nil {
		return nil, err
	}
	missing := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(line), "?"); ok {
			missing[id] = true
		}
	}
	out := make([]foundObject, len(names))
	var present []string
	var at []int
	for i, name := range names {
		out[i].kind = "missing"
		if isObjectID(name) && !missing[name] { // a link may lead to a file that is missing
			present, at = append(present, name), append(at, i)
		}
	}
	if len(present) == 0 {
		return out, nil
	}
	found, err := findObjects(ctx, present)
	if err != nil {
		return nil, err
	}
	for i, f := range found {
		out[at[i]] = f
	}
	return out, nil
}

// errNotWanted says that a file is one of those that nobody reads.
var errNotWanted = errors.New("is not read")

// place takes in git's answer about a file, or about the end of a link; linked are the objects at
// the ends of links.
func (e *entry) place(found foundObject, linked map[string]bool) {
	isLink := e.mode&fs.ModeSymlink != 0
	switch {
	case found.kind == "blob" && isLink:
		e.target = &entry{name: e.name, mode: 0o444, id: found.id, size: found.size}
		linked[found.id] = true
	case found.kind == "blob":
		e.size = found.size
	case found.kind == "tree":
		e.target = &entry{name: e.name, mode: fs.ModeDir | 0o555}
	case found.kind == "symlink":
		e.err = errors.New("is a link that leaves the revision")
	case !isLink:
		e.err = errNotHere
	}
}

// Top is the path, in the tree, of what was asked for.
func (t *Tree) Top() string { return t.top }

// Name is a path in the tree for people: another reference.
func (t *Tree) Name(p string) string {
	if p == "." {
		return Prefix + t.ref.Rev
	}
	return Prefix + t.ref.Rev + ":" + p
}

// Identity is the same for a file and a link to it.
func (t *Tree) Identity(p string) string {
	e, err := t.find("stat", p)
	if err != nil || !t.linked[e.id] {
		return t.Name(p)
	}
	return Prefix + e.id
}

// Submodules are the paths of repositories in the repository, whose files are not in the tree.
func (t *Tree) Submodules() []string { return t.submodules }

// find is the entry at a path, links followed.
func (t *Tree) find(op, name string) (*entry, error) {
	e := t.entries[name]
	switch {
	case !fs.ValidPath(name):
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	case e == nil:
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	case e.err != nil:
		return nil, &fs.PathError{Op: op, Path: name, Err: e.err}
	case e.mode&fs.ModeSymlink != 0 && e.target == nil:
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	case e.target != nil:
		return e.target, nil
	}
	return e, nil
}

// Stat says what is at a path, where a link leads.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	e, err := t.find("stat", name)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// ReadDir lists a folder.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	e, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	out := make([]fs.DirEntry, len(e.entries))
	for i, in := range e.entries {
		out[i] = in
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// Open opens a file; its text is asked for when it is read.
func (t *Tree) Open(name string) (fs.File, error) {
	e, err := t.find("open", name)
	if err != nil {
		return nil, err
	}
	if e.IsDir() {
		entries, err := t.ReadDir(name)
		return &openFolder{entry: e, entries: entries}, err
	}
	return &openFile{entry: e, tree: t}, nil
}

// readBlob returns the text of a file.
func (t *Tree) readBlob(e *entry) (text []byte, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blobs == nil {
		if t.blobs, err = startBlobReader(t.ctx); err != nil {
			return nil, err
		}
	}
	text, err = t.blobs.readBlob(e.id, e.size)
	if t.ctx.Err() != nil {
		return nil, t.ctx.Err()
	}
	return text, err
}

// Close ends the git that reads files; what is read later starts another.
func (t *Tree) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.blobs != nil {
		t.blobs.Close()
		t.blobs = nil
	}
}

// An entry is its own description.
func (e *entry) Name() string               { return e.name }
func (e *entry) Size() int64                { return e.size }
func (e *entry) Mode() fs.FileMode          { return e.mode }
func (e *entry) Type() fs.FileMode          { return e.mode.Type() }
func (e *entry) ModTime() time.Time         { return time.Time{} }
func (e *entry) IsDir() bool                { return e.mode.IsDir() }
func (e *entry) Info() (fs.FileInfo, error) { return e, nil }
func (e *entry) Sys() any                   { return nil }

// openFile is a file that is read.
type openFile struct {
	*entry
	tree *Tree
	text io.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.entry, nil }
func (f *openFile) Close() error               { return nil }

func (f *openFile) Read(p []byte) (int, error) {
	if f.text == nil {
		text, err := f.tree.readBlob(f.entry)
		if err != nil {
			return 0, err
		}
		f.text = bytes.NewReader(text)
	}
	return f.text.Read(p)
}

// openFolder is a folder that is listed.
type openFolder struct {
	*entry
	entries []fs.DirEntry // those to come
}

func (f *openFolder) Stat() (fs.FileInfo, error) { return f.entry, nil }
func (f *openFolder) Close() error               { return nil }

func (f *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: f.name, Err: errors.New("is a folder")}
}

func (f *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 || n > len(f.entries) {
		if n > 0 && len(f.entries) == 0 {
			return nil, io.EOF
		}
		n = len(f.entries)
	}
	next := f.entries[:n:n]
	f.entries = f.entries[n:]
	return next, nil
}
