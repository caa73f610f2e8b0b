package gate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"rung/model"
	"rung/sources/manifests"
	"rung/sources/manifests/edit"
	"rung/sources/safefile"
)

// fileJob is what one file is to be given.
type fileJob struct {
	path  string
	file  manifests.File
	edits []edit.Edit
	fresh []byte // text of a file that does not exist yet; edits is empty then
	adds  []model.Key
}

// Write edits the files the objects came from, touching only what changes. A
// new object goes into the folder that was given, as a file of its own, or to
// the end of the one file. When a file cannot be written, those before it are
// put back. One Write at a time.
func (f *Files) Write(_ context.Context, changes []ObjectChange) error {
	jobs, err := f.jobs(changes)
	if err != nil {
		return err
	}
	var undo []func() error
	for _, j := range jobs {
		back, err := f.run(j)
		if err != nil {
			for i := len(undo) - 1; i >= 0; i-- {
				err = errors.Join(err, undo[i]())
			}
			return err
		}
		undo = append(undo, back)
	}
	f.remember(changes, jobs)
	return nil
}

// jobs sorts the changes by file.
func (f *Files) jobs(changes []ObjectChange) ([]*fileJob, error) {
	var jobs []*fileJob
	byPath := map[string]*fileJob{}
	change := func(path string, e edit.Edit) error {
		j := byPath[path]
		if j == nil {
			file, err := f.stamp(path)
			if err != nil {
				return err
			}
			j = &fileJob{path: path, file: file}
			byPath[path] = j
			jobs = append(jobs, j)
		}
		j.edits = append(j.edits, e)
		return nil
	}
	for _, c := range changes {
		if c.Old != nil {
			at, err := f.locate(c.Old)
			if err != nil {
				return nil, err
			}
			if err := change(at.File, editOf(c, at)); err != nil {
				return nil, err
			}
			continue
		}
		path, isNew, err := f.place(c.New, byPath)
		if err != nil {
			return nil, err
		}
		text, err := ownText(c.New)
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", c.Key.Label(), err)
		}
		if !isNew {
			if err := change(path, edit.Edit{Op: edit.Append, Text: text}); err != nil {
				return nil, err
			}
		} else {
			byPath[path] = &fileJob{path: path, fresh: text}
			jobs = append(jobs, byPath[path])
		}
		byPath[path].adds = append(byPath[path].adds, c.Key)
	}
	return jobs, nil
}

// run writes one file and says how to put it back.
func (f *Files) run(j *fileJob) (back func() error, err error) {
	if j.edits == nil {
		stamp, err := edit.NewFile(f.disk, j.path, j.fresh)
		if err != nil {
			return nil, err
		}
		f.wrote(stamp)
		return func() error {
			if err := safefile.Withdraw(f.disk, j.path, j.fresh); err != nil {
				return fmt.Errorf("put back: remove %s: %w", j.path, err)
			}
			f.forget(j.path)
			return nil
		}, nil
	}
	if !j.file.Writable {
		return nil, fmt.Errorf("write %s: %w", model.Origin{File: j.path}.Where(), edit.ErrNotWritable)
	}
	before, err := edit.Unchanged(f.disk, j.file)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", j.path, err)
	}
	stamp, err := edit.WriteBack(f.disk, j.file, j.edits...)
	if err != nil {
		return nil, err
	}
	f.wrote(stamp)
	return func() error {
		if err := edit.PutBack(f.disk, stamp, before); err != nil {
			return fmt.Errorf("put %s back: %w", j.path, err)
		}
		f.wrote(j.file)
		return nil
	}, nil
}

func editOf(c ObjectChange, at model.Origin) edit.Edit {
	e := edit.Edit{Key: c.Key, Origin: at}
	switch {
	case c.New == nil:
		e.Op = edit.Delete
	case c.ByHand && at.Item < 0:
		e.Op, e.Text = edit.Text, []byte(c.New.YAML)
	default:
		e.Op, e.Object = edit.Set, c.New.Original
	}
	return e
}

func ownText(p *model.Policy) ([]byte, error) {
	if p.YAML != "" {
		return []byte(p.YAML), nil
	}
	return manifests.Marshal(p)
}

// locate finds where an object stands now. That is the place where it was read,
// unless Rung has written to the file since: documents may have come and gone then,
// and an object that was made here was not read at all.
func (f *Files) locate(p *model.Policy) (model.Origin, error) {
	at := p.Origin
	f.mu.Lock()
	// One that was made here knows no place until the engine has taken in what was
	// read, which is later than the reading.
	unread := at.File == ""
	if unread {
		at.File = f.placed[p.Key]
	}
	_, moved := f.written[at.File]
	f.mu.Unlock()
	if at.File == "" {
		return at, fmt.Errorf("write %s: it is not known which file it stands in: %w",
			p.Key.Label(), edit.ErrNotWritable)
	}
	if !moved && !unread {
		return at, nil
	}
	text, err := os.ReadFile(at.File)
	if err != nil {
		return at, fmt.Errorf("write %s: %w", p.Key.Label(), err)
	}
	opt := f.read
	opt.FS, opt.SkipSchema = nil, true
	for _, o := range manifests.Parse(at.File, bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), opt).Objects {
		if q, ok := o.(*model.Policy); ok && q.Key == p.Key {
			return q.Origin, nil
		}
	}
	return at, fmt.Errorf("write %s: it does not stand in %s any more: %w", p.Key.Label(), at.File, edit.ErrChanged)
}

// place finds where a new object goes: a file of its own in the first folder
// that was given, or the end of the last file that can be written. jobs are those of
// the same change, by path.
func (f *Files) place(p *model.Policy, jobs map[string]*fileJob) (path string, isNew bool, err error) {
	for _, given := range f.read.Paths {
		if info, err := os.Stat(given); err == nil && info.IsDir() {
			return f.ownFile(given, p.Key, jobs)
		}
	}
	for i := len(f.read.Paths) - 1; i >= 0; i-- {
		if file, err := f.stamp(f.read.Paths[i]); err == nil && file.Writable {
			return file.Path, false, nil
		}
	}
	return "", false, fmt.Errorf("no file to write %s to: %w", p.Key.Label(), edit.ErrNotWritable)
}

// ownFile is the file of a new object in a folder: a new one, or one of that
// name that is read already (of an object that was deleted, say) and gets the
// object at its end. A file of that name that is not read is left alone.
func (f *Files) ownFile(folder string, k model.Key, jobs map[string]*fileJob) (path string, isNew bool, err error) {
	const tries = 100
	base := fileName(k)
	for n := 1; n <= tries; n++ {
		name := base + ".yaml"
		if n > 1 {
			name = fmt.Sprintf("%s-%d.yaml", base, n)
		}
		path = filepath.Join(folder, name)
		if j := jobs[path]; j != nil && j.fresh != nil {
			continue // of another object of this change
		}
		if file, err := f.stamp(path); err == nil && file.Writable {
			return path, false, nil
		}
		switch _, err := os.Lstat(path); {
		case errors.Is(err, fs.ErrNotExist):
			return path, true, nil
		case err != nil:
			return "", false, fmt.Errorf("write %s: %w", k.Label(), err)
		}
	}
	return "", false, fmt.Errorf("write %s: %s.yaml and %d more of that name are there: %w",
		k.Label(), base, tries-1, fs.ErrExist)
}

// fileName is a name for an object's file, without its end. Names of objects may
// be longer than those of files.
func fileName(k model.Key) string {
	const most = 120
	name := strings.ToLower(k.Kind.Short())
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
