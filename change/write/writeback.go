package write

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rung/change"
	"rung/model"
	"rung/sources/files"
	"rung/sources/manifests"
)

// fileJob is the change of one file: edits of its text, or a whole new text.
type fileJob struct {
	path  string
	file  manifests.FileState // as read; unset for a new file
	edits []manifests.Edit
	// replaces is set if text replaces the whole file: the text of a new file, or the one before an undone
	// change. A nil text removes the file.
	replaces, isNew bool
	text            []byte
	adds            []model.Key
	keys            []model.Key // all objects of the job
}

// Write edits the files of the objects, touching only what changes. A new object goes into the given folder as
// a file of its own, or to the end of the single file; a restored object returns to its place. If writing a
// file fails, Write restores the files before it. It records the change of each file in WrittenFile of its
// objects' changes. Calls must not overlap.
func (f *Files) Write(_ context.Context, changes []change.ObjectChange) error {
	w, err := f.planWrites(changes)
	if err != nil {
		return err
	}
	var undo []func() error
	var did []*change.FileChange
	for _, j := range w.jobs {
		left, back, err := f.writeFile(j)
		if err != nil {
			for _, back := range slices.Backward(undo) {
				err = errors.Join(err, back())
			}
			return err
		}
		undo = append(undo, back)
		did = append(did, &change.FileChange{TextChange: left, Keys: j.keys})
	}
	f.rememberPlaces(changes, w.jobs)
	for i := range changes {
		for _, h := range did {
			if slices.Contains(h.Keys, changes[i].Key) {
				changes[i].WrittenFile = h
			}
		}
	}
	return nil
}

// writePlan holds the file changes for a change of objects.
type writePlan struct {
	files  *Files
	jobs   []*fileJob
	byPath map[string]*fileJob
	notes  []string // destinations of created and restored objects
}

// planWrites groups the changes by file.
func (f *Files) planWrites(changes []change.ObjectChange) (*writePlan, error) {
	w := &writePlan{files: f, byPath: map[string]*fileJob{}}
	done, err := w.planUndo(changes)
	if err != nil {
		return nil, err
	}
	for i, c := range changes {
		if !done[i] {
			if err := w.addChange(c); err != nil {
				return nil, err
			}
		}
	}
	return w, nil
}

// addChange plans one change.
func (w *writePlan) addChange(c change.ObjectChange) error {
	if c.Old != nil {
		at, err := w.files.locateObject(c.Old)
		if err != nil {
			return err
		}
		return w.addEdit(at.File, c.Key, editFor(c, at))
	}
	if c.UndoneFile != nil {
		back, err := w.restoreDeleted(c)
		if back || err != nil {
			return err
		}
	}
	path, isNew, err := w.files.placeNew(c.New, w.byPath)
	if err != nil {
		return err
	}
	text := []byte(c.New.YAML)
	if len(text) == 0 {
		if text, err = manifests.Marshal(c.New); err != nil {
			return fmt.Errorf("write %s: %w", c.Key.Label(), err)
		}
	}
	if isNew {
		w.planWhole(&fileJob{path: path, isNew: true, text: text, keys: []model.Key{c.Key}})
	} else if err := w.addEdit(path, c.Key, manifests.Edit{Op: manifests.Append, Text: text}); err != nil {
		return err
	}
	w.byPath[path].adds = append(w.byPath[path].adds, c.Key)
	note := "%s is written to %s"
	switch {
	case c.UndoneFile != nil:
		note = "%s goes to %s instead"
	case isNew:
		note = "%s is written to the new file %s"
	}
	w.notes = append(w.notes, fmt.Sprintf(note, c.Key.Label(), shownPath(path)))
	return nil
}

// addEdit adds an edit to the job of a file.
func (w *writePlan) addEdit(path string, k model.Key, e manifests.Edit) error {
	j := w.byPath[path]
	if j == nil {
		file, err := w.files.knownFile(path)
		if err != nil {
			return err
		}
		j = &fileJob{path: path, file: file}
		w.byPath[path] = j
		w.jobs = append(w.jobs, j)
	}
	if j.replaces {
		return fmt.Errorf("write %s: two changes of the whole file: %w", path, model.ErrRejected)
	}
	j.edits, j.keys = append(j.edits, e), append(j.keys, k)
	return nil
}

func (w *writePlan) planWhole(j *fileJob) {
	j.replaces = true
	w.byPath[j.path] = j
	w.jobs = append(w.jobs, j)
}

// writeFile writes a file. It returns the change and a function to restore the file.
func (f *Files) writeFile(j *fileJob) (left manifests.TextChange, back func() error, err error) {
	if j.isNew {
		return f.writeNewFile(j.path, j.text)
	}
	if !j.file.Writable {
		return left, nil, fmt.Errorf("write %s: %w", shownPath(j.path), manifests.ErrNotWritable)
	}
	before, err := manifests.ReadUnchanged(f.disk, j.file)
	if err != nil {
		return left, nil, fmt.Errorf("write %s: %w", j.path, err)
	}
	if j.replaces && j.text == nil {
		return f.removeFile(j.path, before)
	}
	text := j.text
	if !j.replaces {
		if text, err = manifests.EditedText(j.path, before, j.edits...); err != nil {
			return left, nil, err
		}
	}
	stamp, err := manifests.ExchangeText(f.disk, j.file, before, text)
	if err != nil {
		return left, nil, err
	}
	f.noteWritten(stamp)
	return manifests.NewTextChange(j.path, before, text), func() error {
		now, err := manifests.ReadUnchanged(f.disk, stamp)
		if err == nil {
			_, err = manifests.ExchangeText(f.disk, stamp, now, before)
		}
		if err != nil {
			return fmt.Errorf("put %s back: %w", j.path, err)
		}
		f.noteWritten(j.file)
		return nil
	}, nil
}

func (f *Files) writeNewFile(path string, text []byte) (left manifests.TextChange, back func() error, err error) {
	stamp, err := manifests.NewFile(f.disk, path, text)
	if err != nil {
		return left, nil, err
	}
	f.noteWritten(stamp)
	return manifests.NewTextChange(path, nil, text), func() error {
		if _, _, err := f.removeFile(path, text); err != nil {
			return fmt.Errorf("put back: %w", err)
		}
		return nil
	}, nil
}

// removeFile removes a file that holds text.
func (f *Files) removeFile(path string, text []byte) (left manifests.TextChange, back func() error, err error) {
	if err := files.WithdrawFile(f.disk, path, text); err != nil {
		return left, nil, fmt.Errorf("remove %s: %w", path, err)
	}
	f.forgetFile(path)
	return manifests.NewTextChange(path, text, nil), func() error {
		_, _, err := f.writeNewFile(path, text)
		return err
	}, nil
}

// shownPath returns a path for messages.
func shownPath(path string) string { return model.Origin{File: path}.Place() }

func editFor(c change.ObjectChange, at model.Origin) manifests.Edit {
	e := manifests.Edit{Key: c.Key, Origin: at}
	switch {
	case c.New == nil:
		e.Op = manifests.Delete
	case c.ByHand && at.Item < 0:
		e.Op, e.Text = manifests.Text, []byte(c.New.YAML)
	default:
		e.Op, e.Object = manifests.EditSet, c.New.Original
	}
	return e
}

// locateObject finds the present place of an object: where it was read, unless Rung has written to the file
// since. Its writes may have added and removed documents, and a new object was not read at all.
func (f *Files) locateObject(p *model.Policy) (model.Origin, error) {
	at := p.Origin
	f.mu.Lock()
	// A new object has no place until the engine has processed its reading.
	unread := at.File == ""
	if unread {
		at.File = f.placed[p.Key]
	}
	moved := f.writtenFiles[at.File]
	f.mu.Unlock()
	if at.File == "" {
		return at, fmt.Errorf("write %s: its file is unknown: %w", p.Key.Label(), manifests.ErrNotWritable)
	}
	if file, err := f.knownFile(at.File); err == nil && !file.Writable {
		return at, nil // compressed, say: writing it is refused later
	}
	text, err := files.ReadRegular(at.File, max(f.readOptions.Limits.FileSize, manifests.DefaultFileSize))
	switch {
	case err != nil && !moved && !unread:
		return at, nil // no file, or gone: reported when writing
	case err != nil:
		return at, fmt.Errorf("write %s: %w", p.Key.Label(), err)
	}
	opt := f.readOptions
	opt.FS, opt.SkipSchema = nil, true
	for _, o := range manifests.Parse(at.File, bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), opt).Objects {
		q := manifests.WrittenPolicy(o)
		if q == nil || q.Key != p.Key {
			continue
		}
		// The file may have been read after the revision of the change: only the policy differs then.
		if !moved && !unread && q.YAML != p.YAML {
			return at, fmt.Errorf("write %s: it was changed in %s meanwhile: %w", p.Key.Label(), at.File, manifests.ErrChanged)
		}
		return q.Origin, nil
	}
	return at, fmt.Errorf("write %s: it is no longer in %s: %w", p.Key.Label(), at.File, manifests.ErrChanged)
}

// placeNew finds a place for a new object: a file of its own in the first given folder, or the end of the last
// writable file. jobs holds the jobs of this change by path.
func (f *Files) placeNew(p *model.Policy, jobs map[string]*fileJob) (path string, isNew bool, err error) {
	for _, given := range f.readOptions.Paths {
		if info, err := os.Stat(given); err == nil && info.IsDir() {
			return f.fileForNew(given, p.Key, jobs)
		}
	}
	for i := len(f.readOptions.Paths) - 1; i >= 0; i-- {
		if file, err := f.knownFile(f.readOptions.Paths[i]); err == nil && file.Writable {
			return file.Path, false, nil
		}
	}
	return "", false, fmt.Errorf("no file to write %s to: %w", p.Key.Label(), manifests.ErrNotWritable)
}

// fileForNew returns the file for a new object in a folder: a new file, or a file of that name already read (of a
// deleted object, say), to which the object is appended. It avoids unread files of that name.
func (f *Files) fileForNew(folder string, k model.Key, jobs map[string]*fileJob) (path string, isNew bool, err error) {
	const tries = 100
	base := fileName(k)
	for n := 1; n <= tries; n++ {
		name := base + ".yaml"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.yaml", base, n)
		}
		path = filepath.Join(folder, name)
		if j := jobs[path]; j != nil && j.replaces {
			continue // used by another object of this change
		}
		if file, err := f.knownFile(path); err == nil && file.Writable {
			return path, false, nil
		}
		switch _, err := os.Lstat(path); {
		case errors.Is(err, fs.ErrNotExist):
			return path, true, nil
		case err != nil:
			return "", false, fmt.Errorf("write %s: %w", k.Label(), err)
		}
	}
	return "", false, fmt.Errorf("write %s: %s.yaml and %d more such names are taken: %w", k.Label(), base, tries-1, fs.ErrExist)
}

// fileName returns the name of an object's file without extension, shortened to what file systems allow.
func fileName(k model.Key) string {
	const most = 120
	name := strings.ToLower(k.Kind.Abbreviation())
	if k.Namespace != "" {
		name += "-" + k.Namespace
	}
	name += "-" + strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) || r < ' ' {
			return '-'
		}
		return r
	}, k.Name)
	if len(name) > most {
		h := fnv.New32a()
		_, _ = h.Write([]byte(k.String()))
		name = fmt.Sprintf("%s-%08x", strings.ToValidUTF8(name[:most], ""), h.Sum32())
	}
	return name
}
