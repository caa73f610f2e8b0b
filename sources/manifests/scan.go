package manifests

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/sources/files"
)

// watchedFile is the last read state of a file.
type watchedFile struct {
	res *fileResult
	// readAt is when res was read; mod and size are the file's then.
	readAt time.Time
	mod    time.Time
	size   int64
	// keptObjects are objects of earlier readings that an error removed from res, and since when.
	keptObjects map[model.Key]keptObject
	// missedSince is when the file was first missing. isGone means it was given up; objects counts the objects
	// it had.
	missedSince time.Time
	isGone      bool
	objects     int
}

type keptObject struct {
	object model.Object
	readAt time.Time
}

// currentResult returns the file's last reading with kept objects, or the error that it is gone.
func (f *watchedFile) currentResult(source string) *fileResult {
	if f.isGone {
		b := fileBroken(source, f.res.file.Path, fmt.Sprintf("missing since %s: %s removed",
			f.missedSince.Format(time.TimeOnly), words.Count(f.objects, "object")), "")
		b.Code = CodeGone
		if f.res.input.folder {
			b.Severity = model.SeverityWarning
		}
		return &fileResult{input: f.res.input, broken: []model.Broken{b}}
	}
	if len(f.keptObjects) == 0 {
		return f.res
	}
	r := *f.res
	r.objects, r.broken = slices.Clone(r.objects), slices.Clone(r.broken)
	for _, k := range slices.SortedFunc(maps.Keys(f.keptObjects), model.Key.Compare) {
		e := f.keptObjects[k]
		r.objects = append(r.objects, e.object)
		r.broken = append(r.broken, model.Broken{Severity: model.SeverityWarning, Origin: objectOrigin(e.object), Key: k,
			Code:    CodeKept,
			Message: "unreadable now; last good version, of " + e.readAt.Format(time.TimeOnly) + ", shown"})
	}
	return &r
}

// readFirst reads everything for the first time. With SkipSchema it publishes before and after gate 1.
func (w *watcher) readFirst(ctx context.Context) error {
	skip := w.o.SkipSchema
	w.o.progress = newProgress(w.o.Progress)
	_, err := w.scanFiles(ctx, true)
	w.o.progress = nil
	if err != nil {
		return err
	}
	if !skip {
		return nil
	}
	w.o.SkipSchema = false
	if err := runParallel(ctx, workerCount(len(w.order)), len(w.order),
		func(_, i int) { w.files[w.order[i]].res.validatePolicies(&w.o) }); err != nil {
		return err
	}
	w.publishUpdate(true)
	return nil
}

// validatePolicies runs gate 1 on the policies of a file.
func (f *fileResult) validatePolicies(by *Options) {
	f.objects = slices.DeleteFunc(slices.Clone(f.objects), func(o model.Object) bool {
		p := WrittenPolicy(o)
		if p == nil {
			return false
		}
		broken := by.validatePolicy(p)
		f.broken = append(f.broken, broken...)
		return slices.ContainsFunc(broken, model.Broken.IsError)
	})
}

// scanFiles checks all files, reads the changed ones and publishes. again is the time after which to call it
// even without events, or 0.
func (w *watcher) scanFiles(ctx context.Context, first bool) (again time.Duration, err error) {
	// An unlisted file went missing before now, and was still missing after asked.
	asked := time.Now()
	inputs, listErrs := w.o.listInputs()
	now := time.Now()
	var read []inputFile
	present := make(map[string]bool, len(inputs))
	order := make([]string, 0, len(inputs))
	for _, in := range inputs {
		present[in.name] = true
		order = append(order, in.name)
		f := w.files[in.name]
		switch {
		case f == nil:
			read = append(read, in)
		case in.readOnce && f.res.input.readOnce && !f.isGone:
			// Its text was read, and cannot be read again.
		case in.readOnce:
			in.whyNotRead = "is " + files.FileKind(in.mode) + " now, which Rung reads only once, at its start"
			read = append(read, in)
		case in.size == 0 && f.size > 0 && !f.isGone && f.isRecentlyMissing(asked, now, w.tm.settle):
			// Emptied: a program may be about to write it.
			again = w.tm.settle
		case f.isGone || in.size != f.size || !in.mod.Equal(f.mod) || f.readAt.Sub(f.mod) < 2*time.Second:
			// Read recently modified files again: a file can change twice within one tick of its clock.
			read = append(read, in)
		default:
			f.missedSince = time.Time{}
		}
	}
	results, err := readFiles(ctx, w.o, read)
	if err != nil {
		return 0, err
	}
	changed := false
	for i, res := range results {
		in := read[i]
		info, err := os.Stat(in.name)
		if w.o.FS == nil && !in.readOnce && (err != nil || info.Size() != in.size || !info.ModTime().Equal(in.mod)) {
			again = w.tm.debounce // it changed during the reading
			if w.files[in.name] == nil && !first {
				order = slices.DeleteFunc(order, func(p string) bool { return p == in.name })
			}
			if !first {
				continue
			}
		}
		if old := w.files[in.name]; old == nil || old.isGone || old.res.file.Sum != res.file.Sum || res.file.Sum == [32]byte{} {
			w.files[in.name] = nextWatched(old, res, in, now)
			changed = true
		} else {
			old.readAt, old.mod, old.size, old.missedSince = now, in.mod, in.size, time.Time{}
		}
	}
	wait, lost := w.dropMissing(present, asked, now)
	if wait > 0 && (again == 0 || wait < again) {
		again = wait
	}
	w.settleOrder(order, present, lost, changed)
	w.listErrs = slices.DeleteFunc(listErrs, func(b model.Broken) bool { return w.files[b.Origin.File] != nil })
	w.publishUpdate(!w.o.SkipSchema)
	return again, nil
}

// isRecentlyMissing reports whether a file was missing for less than d when asked. The first call, with a
// check between asked and now, starts the time.
func (f *watchedFile) isRecentlyMissing(asked, now time.Time, d time.Duration) bool {
	if f.missedSince.IsZero() {
		f.missedSince = now
	}
	return asked.Sub(f.missedSince) < d
}

// nextWatched makes the next state of a file. Objects that only an error removed are kept.
func nextWatched(old *watchedFile, res *fileResult, in inputFile, now time.Time) *watchedFile {
	f := &watchedFile{res: res, readAt: now, mod: in.mod, size: in.size}
	if old == nil || old.isGone {
		return f
	}
	have, failed := map[model.Key]bool{}, map[model.Key]bool{}
	for _, o := range res.objects {
		have[o.ObjectKey()] = true
	}
	for _, b := range res.broken {
		if b.IsError() {
			failed[b.Key] = true
		}
	}
	keep := func(o model.Object, read time.Time) {
		k := o.ObjectKey()
		if have[k] || !res.partial && !failed[k] {
			return
		}
		if f.keptObjects == nil {
			f.keptObjects = map[model.Key]keptObject{}
		}
		f.keptObjects[k] = keptObject{o, read}
	}
	for _, o := range old.res.objects {
		keep(o, old.readAt)
	}
	for _, k := range old.keptObjects {
		keep(k.object, k.readAt)
	}
	return f
}

// dropMissing gives up files that were missing long enough, and returns them in lost. wait is the time until
// the next check.
func (w *watcher) dropMissing(present map[string]bool, asked, now time.Time) (wait time.Duration, lost map[string]bool) {
	lost = map[string]bool{}
	for p, f := range w.files {
		if present[p] || f.isGone {
			continue
		}
		if f.isRecentlyMissing(asked, now, w.tm.settle) {
			wait = w.tm.settle
			continue
		}
		f.isGone, lost[p] = true, true
		f.objects = len(f.res.objects) + len(f.keptObjects)
	}
	return wait, lost
}

// settleOrder orders the files: the listed ones, then the missing. The message about a file gone from a folder
// is dropped with the next change, but not before it was shown. lost are the files given up now.
func (w *watcher) settleOrder(listed []string, present, lost map[string]bool, changed bool) {
	old := w.order
	w.order = listed
	for _, p := range old {
		f := w.files[p]
		switch {
		case present[p]:
		case f.isGone && !lost[p] && f.res.input.folder && (changed || len(lost) > 0) && time.Since(f.missedSince) > 2*w.tm.settle:
			delete(w.files, p)
		default:
			w.order = append(w.order, p)
		}
	}
}
