package manifests

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"rung/sources/files"
)

// Check returns why a reference cannot be read, or nil. The errors do not repeat the reference.
func Check(ctx context.Context, ref Ref) error {
	_, err := Open(ctx, ref, DefaultFileSize, func(string) bool { return false })
	return err
}

// Tree is the files of a revision: an fs.FS of the whole revision, in which Top is the requested path.
type Tree struct {
	rev        string
	asked, top string // the requested path, and its target if it is a link
	entries    map[string]*entry
	submodules []string
}

// entry is a file, folder or link of a tree.
type entry struct {
	path    string
	mode    fs.FileMode
	id      string // object id of the text
	size    int64
	text    []byte        // of a wanted file, or the target of a link
	err     error         // why an existing file has no text
	entries []fs.DirEntry // of a folder
}

// The modes of entries other than files, in git's lists.
const (
	submoduleMode = "160000"
	linkMode      = "120000"
)

const (
	// listLimit bounds the list of a revision's files, in bytes: a million files take some 100 MB.
	listLimit = 256 << 20
	// linkLimit bounds the target of a link, in bytes.
	linkLimit = 4 << 10
	// linksMost bounds the links followed for one path.
	linksMost = 40
)

// readLimit bounds the bytes read of a revision's files: git compresses a bomb well. Tests lower it.
var readLimit int64 = 1 << 30

// Open lists the files of a revision. It reads the wanted ones below the reference that have no more bytes
// than most.
func Open(ctx context.Context, ref Ref, most int64, wanted func(path string) bool) (*Tree, error) {
	prefix := ""
	if ref.isRelative() {
		text, err := runGit(ctx, "", linkLimit, "rev-parse", "--show-prefix")
		if err != nil {
			return nil, err
		}
		prefix = strings.TrimSuffix(string(text), "\n")
	}
	asked, err := ref.placed(prefix)
	if err != nil {
		return nil, err
	}
	root, err := rootTreeID(ctx, ref.Rev)
	if err != nil {
		return nil, err
	}
	text, err := runGit(ctx, "", listLimit, "ls-tree", "-r", "-z", "--full-tree", "--end-of-options", root)
	if err != nil {
		return nil, err
	}
	t := &Tree{rev: ref.Rev, asked: asked, entries: map[string]*entry{}}
	t.folder(".")
	if err := t.takeList(text); err != nil {
		return nil, err
	}
	links := slices.DeleteFunc(slices.Collect(maps.Values(t.entries)), func(e *entry) bool { return !e.isLink() })
	if err := t.read(ctx, root, linkLimit, links); err != nil {
		return nil, err
	}
	top, err := t.follow(asked)
	if err != nil {
		return nil, t.notThere(err)
	}
	t.top = top.path
	if err := t.read(ctx, root, most, t.wantedFiles(wanted)); err != nil {
		return nil, err
	}
	if errors.Is(top.err, errNotInClone) {
		return nil, top.err
	}
	return t, nil
}

// rootTreeID returns the id of a revision's tree.
func rootTreeID(ctx context.Context, rev string) (string, error) {
	found, err := askObjects(ctx, false, rev+"^{tree}")
	switch {
	case err != nil:
		return "", err
	case found[0].kind == "ambiguous":
		return "", fmt.Errorf("%s is ambiguous; write more of it", rev)
	case found[0].kind == "tree":
		return found[0].id, nil
	}
	text := "there is no revision " + rev + " in this repository"
	out, err := runGit(ctx, "", linkLimit, "rev-parse", "--is-shallow-repository")
	if err == nil && strings.TrimSpace(string(out)) == "true" {
		text += ", a shallow clone: run git fetch --depth=1 origin BRANCH, then name FETCH_HEAD"
	}
	return "", errors.New(text)
}

// notThere explains why the requested path cannot be read.
func (t *Tree) notThere(err error) error {
	switch isLink := t.entries[t.asked] != nil; {
	case slices.Contains(t.submodules, t.asked):
		return fmt.Errorf("%s is a submodule, which Rung does not read", t.asked)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s %w", t.asked, err)
	case isLink:
		return fmt.Errorf("%s is a broken link", t.asked)
	}
	return fmt.Errorf("revision %[2]s has no %[1]s", t.asked, t.rev)
}

// takeList parses the output of ls-tree: mode, type, id and path of each file.
func (t *Tree) takeList(text []byte) error {
	for line := range bytes.SplitSeq(bytes.TrimSuffix(text, []byte{0}), []byte{0}) {
		if len(line) == 0 {
			continue
		}
		head, p, ok := strings.Cut(string(line), "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 3 || !isObjectID(fields[2]) {
			return errAnswer
		}
		if fields[0] == submoduleMode {
			t.submodules = append(t.submodules, p)
			continue
		}
		e := &entry{path: p, mode: 0o444, id: fields[2], err: errNotWanted}
		if fields[0] == linkMode {
			e.mode |= fs.ModeSymlink
		}
		t.add(e)
	}
	return nil
}

// add adds an entry to the tree and to its folder.
func (t *Tree) add(e *entry) {
	t.entries[e.path] = e
	if e.path != "." {
		above := t.folder(path.Dir(e.path))
		above.entries = append(above.entries, e)
	}
}

// folder returns the folder at a path, made if needed.
func (t *Tree) folder(p string) *entry {
	if t.entries[p] == nil {
		t.add(&entry{path: p, mode: fs.ModeDir | 0o555})
	}
	return t.entries[p]
}

// wantedFiles returns the wanted files, with links resolved.
func (t *Tree) wantedFiles(wanted func(string) bool) (out []*entry) {
	for p, e := range t.entries {
		if p == t.top || !e.IsDir() && t.isBelowTop(p) && wanted(p) {
			if real, err := t.follow(p); err == nil && !real.IsDir() {
				out = append(out, real)
			}
		}
	}
	return out
}

func (t *Tree) isBelowTop(p string) bool { return t.top == "." || strings.HasPrefix(p, t.top+"/") }

// read reads the sizes of files and links, and the texts of those that have no more bytes than most.
func (t *Tree) read(ctx context.Context, root string, most int64, list []*entry) error {
	byID := map[string][]*entry{}
	for _, e := range list {
		e.err = errNotInClone
		byID[e.id] = append(byID[e.id], e)
	}
	found, err := askObjects(ctx, false, slices.Collect(maps.Keys(byID))...)
	if errors.Is(err, errNotInClone) { // git stops at the first missing one
		if err := forgetMissing(ctx, root, byID); err != nil {
			return err
		}
		found, err = askObjects(ctx, false, slices.Collect(maps.Keys(byID))...)
	}
	if err != nil {
		return err
	}
	total, small := int64(0), []string(nil)
	for _, f := range found {
		if f.kind != "blob" {
			continue
		}
		for _, e := range byID[f.id] {
			e.err, e.size = nil, f.size
		}
		if f.size <= most {
			total, small = total+f.size, append(small, f.id)
		}
	}
	if total > readLimit {
		return fmt.Errorf("its files have %s, more than the limit of %s", files.SizeText(total), files.SizeText(readLimit))
	}
	texts, err := askObjects(ctx, true, small...)
	for _, f := range texts {
		for _, e := range byID[f.id] {
			e.text = f.text
		}
	}
	return err
}

// errNotWanted means a file is not among the wanted ones.
var errNotWanted = errors.New("is not read")

// errLeaves means a link points outside the revision.
var errLeaves = errors.New("is a link out of the revision")

// follow returns the entry at a path, with links resolved; an error if one leads out of the revision.
func (t *Tree) follow(p string) (*entry, error) {
	at, rest := ".", strings.Split(p, "/")
	for links := 0; len(rest) > 0; {
		next := path.Join(at, rest[0])
		rest = rest[1:]
		if next == ".." || strings.HasPrefix(next, "../") {
			return nil, errLeaves
		}
		switch e := t.entries[next]; {
		case e == nil:
			return nil, fs.ErrNotExist
		case !e.isLink():
			at = next
		case e.err != nil:
			return nil, e.err
		case path.IsAbs(string(e.text)):
			return nil, errLeaves
		default:
			links++
			if links > linksMost || len(e.text) == 0 { // a target too long for a path is not read
				return nil, fs.ErrNotExist
			}
			rest = append(strings.Split(string(e.text), "/"), rest...)
		}
	}
	return t.entries[at], nil
}

// dropTexts frees the texts of files; nothing for nil.
func (t *Tree) dropTexts() {
	if t == nil {
		return
	}
	for _, e := range t.entries {
		if !e.isLink() {
			e.text = nil
		}
	}
}

// Top returns the path of the requested file or folder in the tree.
func (t *Tree) Top() string { return t.top }

// Name returns a path below Top for people, as a reference.
func (t *Tree) Name(p string) string {
	if t.top != t.asked {
		p = path.Join(t.asked, strings.TrimPrefix(p, t.top))
	}
	if p == "." {
		return GitPrefix + t.rev
	}
	return GitPrefix + t.rev + ":" + p
}

// Identity returns the same text for a file and a link to it.
func (t *Tree) Identity(p string) string {
	if real, err := t.follow(p); err == nil {
		p = real.path
	}
	return GitPrefix + t.rev + ":" + p
}

// Submodules returns the paths of submodules below Top. The tree lacks their files.
func (t *Tree) Submodules() []string {
	return slices.DeleteFunc(slices.Clone(t.submodules), func(p string) bool { return !t.isBelowTop(p) })
}

// Stat describes a path, following links.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	e, err := t.follow(name)
	switch {
	case !fs.ValidPath(name):
		err = fs.ErrInvalid
	case err == nil:
		err = e.err
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return e, nil
}

// ReadDir lists a folder.
func (t *Tree) ReadDir(name string) ([]fs.DirEntry, error) {
	info, err := t.Stat(name)
	if err != nil {
		return nil, err
	}
	list := slices.Clone(info.(*entry).entries) // several goroutines may read the tree
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, nil
}

// Open opens a file; folders are listed by ReadDir.
func (t *Tree) Open(name string) (fs.File, error) {
	info, err := t.Stat(name)
	if err != nil {
		return nil, err
	}
	return &openFile{info, bytes.NewReader(info.(*entry).text)}, nil
}

// The methods of fs.FileInfo and fs.DirEntry.
func (e *entry) Name() string               { return path.Base(e.path) }
func (e *entry) Size() int64                { return e.size }
func (e *entry) Mode() fs.FileMode          { return e.mode }
func (e *entry) Type() fs.FileMode          { return e.mode.Type() }
func (e *entry) ModTime() time.Time         { return time.Time{} }
func (e *entry) IsDir() bool                { return e.mode.IsDir() }
func (e *entry) Info() (fs.FileInfo, error) { return e, nil }
func (e *entry) Sys() any                   { return nil }

func (e *entry) isLink() bool { return e.mode&fs.ModeSymlink != 0 }

// openFile is an open file of a tree.
type openFile struct {
	info fs.FileInfo
	io.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return nil }
