package write

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"rung/change"
	"rung/model"
	"rung/sources/manifests"
)

// RestoreNotes returns where changes put created and restored objects, or why they cannot be written. It writes nothing.
func (f *Files) RestoreNotes(changes []change.ObjectChange) (notes []string, err error) {
	w, err := f.planWrites(changes)
	if err != nil {
		return nil, err
	}
	for _, j := range w.jobs {
		if j.isNew {
			continue
		}
		if err := f.whyUnwritable(j.file); err != nil {
			return nil, fmt.Errorf("write %s: %w", shownPath(j.path), err)
		}
	}
	return w.notes, nil
}

// planUndo plans to restore the very text of files that still are as the undone change left them. done holds
// the indexes of the changes that this makes.
func (w *writePlan) planUndo(changes []change.ObjectChange) (done map[int]bool, err error) {
	done = map[int]bool{}
	byFile := map[*change.FileChange][]int{}
	for i := range changes {
		b := changes[i].UndoneFile
		byFile[b] = append(byFile[b], i)
	}
	for i := range changes {
		b := changes[i].UndoneFile
		with := byFile[b]
		if b == nil || with[0] != i || len(with) != len(b.Keys) {
			continue
		}
		j, err := w.files.wholeFileJob(b, changes, with)
		if err != nil {
			return nil, err
		}
		if j == nil {
			continue
		}
		w.planWhole(j)
		if j.text == nil {
			w.notes = append(w.notes, shownPath(b.Path)+" is removed: it holds nothing else")
		}
		for _, i := range with {
			done[i] = true
			if c := &changes[i]; c.Old == nil {
				j.adds = append(j.adds, c.Key)
				var above, below manifests.DocumentRef
				if s := spotOfObject(b, c.Key); s != nil {
					above, below = nearest(s.Above), nearest(s.Below)
				}
				w.notes = append(w.notes, c.Key.Label()+" goes back to where it was: "+placeText(shownPath(b.Path), above, below))
			}
		}
	}
	return done, nil
}

// wholeFileJob returns the job that restores a file's text before a change, or nil if that would be wrong: the
// file or the objects differ by now.
func (f *Files) wholeFileJob(b *change.FileChange, changes []change.ObjectChange, with []int) (*fileJob, error) {
	file, text, err := f.readCurrent(b.Path)
	if err != nil {
		return nil, err
	}
	before, ok := b.TextBefore(text)
	if !ok || !f.textAgrees(b.Path, before, changes, with) {
		return nil, nil
	}
	j := &fileJob{path: b.Path, file: file, isNew: text == nil, text: before, keys: b.Keys}
	info, err := os.Stat(filepath.Dir(b.Path))
	if j.isNew && (err != nil || !info.IsDir()) || !j.isNew && f.whyUnwritable(file) != nil {
		return nil, nil
	}
	return j, nil
}

// readCurrent returns a file and its text, nil if it does not exist; an error if it changed since it was read.
func (f *Files) readCurrent(path string) (manifests.FileState, []byte, error) {
	_, err := f.disk.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return manifests.FileState{}, nil, nil
	}
	file, serr := f.knownFile(path)
	if serr != nil || err != nil {
		return file, []byte{}, nil // a file that is not read is not written to
	}
	text, err := manifests.ReadUnchanged(f.disk, file)
	switch {
	case errors.Is(err, manifests.ErrChanged):
		return file, nil, fmt.Errorf("write %s: %w", shownPath(path), err)
	case err != nil:
		return manifests.FileState{}, []byte{}, nil
	case text == nil:
		text = []byte{}
	}
	return file, text, nil
}

// whyUnwritable returns why a file cannot be written to, as far as can be told without writing.
func (f *Files) whyUnwritable(file manifests.FileState) error {
	if !file.Writable {
		return manifests.ErrNotWritable
	}
	w, err := f.disk.Open(file.Path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return w.Close()
}

// textAgrees reports whether a text holds the objects of changes as wanted; a nil text holds none.
func (f *Files) textAgrees(path string, text []byte, changes []change.ObjectChange, with []int) bool {
	opt := f.readOptions
	opt.FS, opt.SkipSchema = nil, true
	is := map[model.Key]*model.Policy{}
	for _, p := range manifests.Parse(path, text, opt).Changeable() {
		is[p.Key] = p
	}
	for _, i := range with {
		c, p := &changes[i], is[changes[i].Key]
		if (p == nil) != (c.New == nil) || p != nil && !model.SameContent(p, c.New) {
			return false
		}
	}
	return true
}

// restoreDeleted plans how a deleted object returns to its changed file. back is false without a place.
func (w *writePlan) restoreDeleted(c change.ObjectChange) (back bool, err error) {
	b, name := c.UndoneFile, c.Key.Label()
	instead := func(format string, args ...any) (bool, error) {
		w.notes = append(w.notes, fmt.Sprintf(format, args...))
		return false, nil
	}
	spot := spotOfObject(b, c.Key)
	if spot == nil {
		return false, nil
	}
	file, text, err := w.files.readCurrent(b.Path)
	path := shownPath(b.Path)
	switch {
	case err != nil:
		return false, err
	case text == nil:
		return instead("%s was in %s, which is gone", name, path)
	case file.Path == "":
		return instead("%s was in %s, a file that this run does not read", name, path)
	case file.Writable && w.byPath[b.Path] != nil && w.byPath[b.Path].replaces:
		return instead("%s was in %s, which this change replaces", name, path)
	case w.files.whyUnwritable(file) != nil:
		return instead("%s was in %s, which cannot be written to", name, path)
	}
	e := manifests.Edit{Op: manifests.Restore, Key: c.Key, Object: c.New.Original, Spot: spot}
	at, err := manifests.FindRestorePlace(b.Path, text, *spot)
	note := ""
	switch fits := err == nil && w.editFits(b.Path, text, e, c); {
	case fits && at.HasNeighbour:
		note = fmt.Sprintf("%s goes back to %s", name, placeText(path+" (changed since)", at.Above, at.Below))
	case fits && spot.Item >= 0:
		note = fmt.Sprintf("%s goes to the end of its List in %s: its neighbors there are gone", name, path)
	case fits:
		note = fmt.Sprintf("%s goes to the end of %s: its neighbors there are gone", name, path)
	default:
		why := "its place there cannot be edited"
		if errors.Is(err, manifests.ErrNoPlace) {
			why = "its List is gone"
		}
		e = (manifests.Edit{Op: manifests.Append, Object: c.New.Original})
		if !w.editFits(b.Path, text, e, c) {
			return instead("%s cannot go back to %s: %s", name, path, why)
		}
		note = fmt.Sprintf("%s goes to the end of %s: %s", name, path, why)
	}
	if err := w.addEdit(b.Path, c.Key, e); err != nil {
		return false, err
	}
	w.byPath[b.Path].adds = append(w.byPath[b.Path].adds, c.Key)
	w.notes = append(w.notes, note)
	return true, nil
}

// editFits reports whether an edit of a text results in the wanted object.
func (w *writePlan) editFits(path string, text []byte, e manifests.Edit, c change.ObjectChange) bool {
	after, err := manifests.EditedText(path, text, e)
	return err == nil && w.files.textAgrees(path, after, []change.ObjectChange{c}, []int{0})
}

func spotOfObject(b *change.FileChange, k model.Key) *manifests.RemovedSpot {
	for i := range b.Spots {
		if b.Spots[i].Object.NamesKey(k) {
			return &b.Spots[i]
		}
	}
	return nil
}

// nearest returns the nearest of an object's former neighbours on one side; zero if it had none.
func nearest(neighbours []manifests.DocumentRef) (out manifests.DocumentRef) {
	if len(neighbours) > 0 {
		out = neighbours[0]
	}
	return out
}

// placeText describes a place in a file: "a.yaml, between ANP one and ANP three".
func placeText(path string, behind, before manifests.DocumentRef) string {
	switch above, below := behind.Label(), before.Label(); {
	case above != "" && below != "":
		return path + ", between " + above + " and " + below
	case above != "":
		return path + ", after " + above
	case below != "":
		return path + ", before " + below
	}
	return path
}
