package manifests

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/sources/files"
	"rung/sources/manifests/yamltree"
)

// inputFile is one file to read.
type inputFile struct {
	inputPlace
	folder     bool   // found in a folder, not named by the user
	gather     bool   // an object of a must-gather, which has many objects twice
	readOnce   bool   // standard input, or another file that can be read only once
	whyNotRead string // why an existing file is not read
	size       int64
	mod        time.Time
	mode       fs.FileMode
}

// listInputs finds the files to read, in order and each once, and reports missing ones.
func (o Options) listInputs() ([]inputFile, []model.Broken) {
	l := o.newLister()
	return l.files, l.broken
}

// HasNoManifests reports whether all paths are folders without manifests.
func (o Options) HasNoManifests() bool {
	l := o.newLister()
	return len(l.files) == 0 && len(l.broken) == l.emptyFolders
}

func (o Options) newLister() *inputLister {
	l := &inputLister{o: o, seenFiles: map[string]bool{}}
	for _, p := range o.Paths {
		l.addName(p)
	}
	return l
}

// inputLister finds the files to read.
type inputLister struct {
	o             Options
	emptyFolders  int // folders without manifests
	files         []inputFile
	broken        []model.Broken
	seenFiles     map[string]bool
	foundManifest bool // the present folder has a manifest, readable or not
}

func (l *inputLister) addName(name string) {
	switch {
	case name == "-":
		if !l.seenFiles["-"] {
			l.seenFiles["-"] = true
			l.files = append(l.files, inputFile{inputPlace: inputPlace{name: "-"}, readOnce: true})
		}
		return
	case !words.IsClean(name):
		l.addFailure(name, "skipped: the file name has control characters", "rename it")
		return
	}
	root, err := l.o.findPlace(name)
	if err != nil {
		l.addFailure(name, "cannot be read: "+err.Error(), "")
		return
	}
	info, err := root.stat()
	if err != nil {
		l.addFailure(name, "cannot be read: "+files.WithoutPath(err).Error(), "")
		return
	}
	if !info.IsDir() {
		l.takeFile(root, false, info)
		return
	}
	l.foundManifest = false
	l.walkFolder(root)
	if !l.foundManifest {
		l.emptyFolders++
		l.addWarning(name, "no manifests in this folder", "file names must end in .yaml, .yml or .json, or these with .gz")
	}
}

func (l *inputLister) takeFile(at inputPlace, folder bool, info fs.FileInfo) {
	id := at.identity()
	if l.seenFiles[id] {
		return
	}
	l.seenFiles[id] = true
	l.files = append(l.files, inputFile{inputPlace: at, folder: folder,
		readOnce: l.o.FS == nil && (at.tree != nil || !info.Mode().IsRegular()), size: info.Size(), mod: info.ModTime(), mode: info.Mode()})
}

// walkFolder takes the manifests of a folder, without hidden ones: copies of editors, git, mounted ConfigMaps.
func (l *inputLister) walkFolder(root inputPlace) {
	fsys, top := root.walked()
	gather := gatherFolders{fsys}
	_ = fs.WalkDir(fsys, top, func(p string, d fs.DirEntry, err error) error {
		at := root.below(p)
		switch {
		case err != nil:
			l.foundManifest = true
			l.addFailure(at.name, "cannot be read: "+files.WithoutPath(err).Error(), "")
			return nil
		case p != top && (strings.HasPrefix(d.Name(), ".") || gather.isOutsideObjects(p)):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return l.enterFolder(fsys, p, at)
		case !isManifestName(p) || slices.Contains(KustomizationNames, d.Name()):
			return nil
		}
		l.foundManifest = true
		if !words.IsClean(at.name) {
			l.addFailure(at.name, "skipped: the file name has control characters", "rename it")
			return nil
		}
		info, err := at.stat()
		switch {
		case errors.Is(err, fs.ErrNotExist) && d.Type()&fs.ModeSymlink != 0:
			l.addFailure(at.name, "skipped: a broken link", "")
		case err != nil:
			l.addFailure(at.name, "cannot be read: "+files.WithoutPath(err).Error(), "")
		case info.IsDir():
			l.addWarning(at.name, "skipped: a link to a folder", "name it with -f to read its files")
		case !info.Mode().IsRegular():
			l.addWarning(at.name, "skipped: "+files.FileKind(info.Mode())+"; only regular files are read from folders", "name it with -f to read it")
		default:
			n := len(l.files)
			l.takeFile(at, true, info)
			if len(l.files) > n {
				l.files[n].gather = gather.isInside(p)
			}
		}
		return nil
	})
	if tree, ok := root.tree.(*Tree); ok {
		for _, p := range tree.Submodules() {
			l.addWarning(tree.Name(p), "skipped: a submodule", "read its own repository")
		}
	}
}

// enterFolder reports folders to render. A Helm chart is skipped whole; a kustomization's files are read.
func (l *inputLister) enterFolder(fsys fs.FS, p string, at inputPlace) error {
	has := func(name string) bool {
		info, err := fs.Stat(fsys, path.Join(p, name))
		return err == nil && info.Mode().IsRegular()
	}
	if has("Chart.yaml") {
		l.foundManifest = true
		l.addFailure(at.name, "is a Helm chart: skipped, since templates are not manifests", "render it: helm template "+
			words.CleanText(at.name)+" | rung … -f -")
		return fs.SkipDir
	}
	if slices.ContainsFunc(KustomizationNames, has) {
		l.foundManifest = true
		folder := ""
		if at.tree == nil {
			folder = at.name
		}
		l.addFailure(at.name, "is a kustomization: Rung reads its files unrendered", "render it: "+RenderKustomization(folder))
	}
	return nil
}

func (l *inputLister) addFailure(name, msg, remedy string) {
	l.broken = append(l.broken, fileBroken(l.o.Source, name, msg, remedy))
}

func (l *inputLister) addWarning(name, msg, remedy string) {
	l.addFailure(name, msg, remedy)
	l.broken[len(l.broken)-1].Severity = model.SeverityWarning
}

func isManifestName(p string) bool {
	p = strings.TrimSuffix(strings.ToLower(p), ".gz")
	return strings.HasSuffix(p, ".yaml") || strings.HasSuffix(p, ".yml") || strings.HasSuffix(p, ".json")
}

// fileBroken returns the error of a whole file.
func fileBroken(source, name, msg, remedy string) model.Broken {
	return model.Broken{Severity: model.SeverityError, Origin: model.Origin{Source: source, File: words.CleanText(name), Item: -1},
		Code: CodeFile, Message: words.CleanText(msg), Remedy: remedy}
}

// load reads the text of a file within the limits.
func (f *fileResult) load(ctx context.Context, o Options) error {
	in := f.input
	if in.whyNotRead != "" {
		return errors.New(in.whyNotRead)
	}
	r, err := o.openInput(ctx, in)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", files.WithoutPath(err))
	}
	defer r.Close()
	raw, err := []byte(nil), files.ErrTooLarge
	if in.size <= o.Limits.FileSize {
		raw, err = files.ReadAll(r, in.size, o.Limits.FileSize)
	}
	switch {
	case errors.Is(err, files.ErrTooLarge):
		return fmt.Errorf("exceeds the limit of %s per file", files.SizeText(o.Limits.FileSize))
	case err != nil:
		return fmt.Errorf("cannot be read: %w", files.WithoutPath(err))
	}
	text, isPacked := raw, bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) || strings.HasSuffix(strings.ToLower(in.name), ".gz")
	if isPacked {
		text, err = expandGzip(raw, o.Limits.Expanded)
		switch {
		case errors.Is(err, files.ErrTooLarge):
			return fmt.Errorf("exceeds the limit of %s when decompressed", files.SizeText(o.Limits.Expanded))
		case err != nil:
			return fmt.Errorf("cannot be decompressed: %w", err)
		}
	}
	if bytes.HasPrefix(text, []byte{0xff, 0xfe}) || bytes.HasPrefix(text, []byte{0xfe, 0xff}) {
		return errors.New("is UTF-16: only UTF-8 can be read")
	}
	f.text = bytes.TrimPrefix(text, yamltree.BOM)
	f.file = FileState{Path: in.name, Sum: sha256.Sum256(raw), Size: int64(len(raw)), At: time.Now(),
		Writable: !in.readOnce && !isPacked && o.FS == nil}
	return nil
}

// openInput opens a file; the wait for a pipe or a device ends with ctx.
func (o Options) openInput(ctx context.Context, in inputFile) (io.ReadCloser, error) {
	switch {
	case in.name == "-" && o.Stdin == nil:
		return io.NopCloser(bytes.NewReader(nil)), nil
	case in.name == "-":
		return io.NopCloser(files.PatientReader(ctx, o.Stdin)), nil
	case in.tree != nil:
		return in.tree.Open(in.path)
	case in.readOnce:
		return files.Open(ctx, in.name)
	}
	return files.OpenRegular(in.name)
}

// expandGzip decompresses a file of at most limit bytes. It does so twice: first to count, so that larger
// contents are never in memory, then into a buffer of that size.
func expandGzip(raw []byte, limit int64) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	size, err := io.Copy(io.Discard, io.LimitReader(z, limit+1))
	switch {
	case err != nil:
		return nil, err
	case size > limit:
		return nil, files.ErrTooLarge
	}
	if err := z.Reset(bytes.NewReader(raw)); err != nil {
		return nil, err
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(z, text); err != nil {
		return nil, err
	}
	return text, nil
}
