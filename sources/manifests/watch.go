package manifests

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"rung/model"
)

// Update holds the changes since the last update; the first holds everything.
type Update struct {
	Upsert []model.Object
	Remove []model.Key
	// Broken and Files are complete, not only the changes.
	Broken []model.Broken
	Files  []FileState
	// Validated says gate 1 was run: false only in the first update when
	// Options.SkipSchema is set.
	Validated bool
}

// watchTimes of a watch; tests shorten it.
type watchTimes struct {
	debounce time.Duration // quiet time before anything is read
	maxWait  time.Duration // read at the latest after this, however busy it is
	settle   time.Duration // how long a file must be away to be gone
	poll     time.Duration // look without being told: some file systems tell nothing
	pollFast time.Duration // the same when watching does not work at all
}

var defaultTiming = watchTimes{100 * time.Millisecond, 2 * time.Second, 500 * time.Millisecond, 30 * time.Second,
	2 * time.Second}

// Watch reads everything as Read does and tells sink; then it waits for the
// files to change and tells sink what changed, until ctx ends. sink is called
// from one goroutine at a time, in order, and never with something half-read.
//
// With Options.SkipSchema the first update comes before gate 1 and a second one
// takes out what gate 1 refuses.
//
// An object that was read once and cannot be read any more (its file or document
// is broken, or a gate refuses it) stays as it was, with an entry of CodeKept in
// Broken besides the error. A file that vanishes takes its objects with it only
// if it is still away after half a second; CodeGone says so. Standard input,
// revisions of a repository and built-in files are read once.
//
// The error is ErrNoPaths or nil; nil when ctx ended.
func Watch(ctx context.Context, o Options, sink func(Update)) error {
	return watchWith(ctx, o, sink, defaultTiming)
}

func watchWith(ctx context.Context, o Options, sink func(Update), tm watchTimes) error {
	o = o.withDefaults()
	if len(o.Paths) == 0 {
		return ErrNoPaths
	}
	if err := o.openTrees(ctx); err != nil {
		return nil // ctx ended
	}
	w := &watcher{o: o, sink: sink, tm: tm, files: map[string]*watchedFile{}, published: map[model.Key]model.Object{}}
	// Listen before the first look, so that no change falls between.
	if o.FS == nil {
		if notify, err := fsnotify.NewWatcher(); err == nil {
			w.notify = notify
			defer notify.Close()
			w.listenFolders()
		}
	}
	if err := w.readFirst(ctx); err != nil {
		return nil // ctx ended
	}
	for _, tree := range o.trees.byPath { // it is read once
		tree.dropTexts()
	}
	if o.FS != nil || !slices.ContainsFunc(o.Paths, func(p string) bool { return !IsReadOnce(p) }) {
		<-ctx.Done()
		return nil
	}
	w.waitForChanges(ctx)
	return nil
}

// watcher is the state of a Watch; one goroutine owns it.
type watcher struct {
	o      Options
	sink   func(Update)
	tm     watchTimes
	notify *fsnotify.Watcher // nil when watching does not work

	// folders are listened to for what is in them, names for files by name in
	// their folder.
	folders map[string]bool
	names   map[string]bool

	order     []string
	files     map[string]*watchedFile
	listErrs  []model.Broken
	published map[model.Key]model.Object
	broken    []model.Broken
	sums      map[string][32]byte
	hasBegun  bool
	validated bool
}

// waitForChanges waits for changes. Every change starts the quiet time anew; scanFiles may ask
// to be called again by itself.
func (w *watcher) waitForChanges(ctx context.Context) {
	poll := w.tm.poll
	var events chan fsnotify.Event
	var errs chan error
	if w.notify != nil {
		events, errs = w.notify.Events, w.notify.Errors
	} else {
		poll = w.tm.pollFast
	}
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	var since time.Time // of the first change that was not looked at yet
	soon := func(d time.Duration) {
		now := time.Now()
		if since.IsZero() {
			since = now
		}
		timer.Reset(max(0, min(d, since.Add(max(w.tm.maxWait, d)).Sub(now))))
	}
	for {
		select {
		case <-ctx.Done():
			return
		case ev, ok := <-events:
			if !ok {
				events = nil
			} else if w.isRelevant(ev) {
				soon(w.tm.debounce)
			}
			continue
		case _, ok := <-errs:
			if !ok {
				errs = nil
			} else {
				soon(w.tm.debounce) // events were lost
			}
			continue
		case <-timer.C:
		case <-ticker.C:
			if !since.IsZero() {
				continue // about to be read, once it is quiet
			}
		}
		since = time.Time{}
		// Listen before looking, so that what comes between is told.
		w.listenFolders()
		again, err := w.scanFiles(ctx, false)
		if err != nil {
			return
		}
		if again > 0 {
			soon(again)
		}
	}
}

// isRelevant says whether an event may be about a file that is read.
func (w *watcher) isRelevant(ev fsnotify.Event) bool {
	name := filepath.Clean(ev.Name)
	base := filepath.Base(name)
	switch {
	case w.names[name]:
		return true
	case !w.folders[filepath.Dir(name)]:
		return strings.HasPrefix(base, "..") || w.folders[name]
	}
	// Folders come and go, too; they have no telling name. Mounted ConfigMaps
	// change by a link named "..data".
	return isManifestName(base) || strings.HasPrefix(base, "..") || !strings.Contains(base, ".")
}

// listenFolders makes the set of folders listened to fit the paths. A file is listened
// to through its folder, as editors replace it; what does not exist through the
// nearest folder that does.
func (w *watcher) listenFolders() {
	if w.notify == nil {
		return
	}
	w.folders, w.names = map[string]bool{}, map[string]bool{}
	dirs := map[string]bool{}
	for _, p := range w.o.Paths {
		if IsReadOnce(p) {
			continue
		}
		w.listenTo(filepath.Clean(p), dirs)
		if real, err := filepath.EvalSymlinks(p); err == nil && real != filepath.Clean(p) {
			w.listenTo(real, dirs)
		}
	}
	for _, d := range w.notify.WatchList() {
		if !dirs[d] {
			_ = w.notify.Remove(d) // gone or not asked for any more
		}
		delete(dirs, d)
	}
	for d := range dirs {
		_ = w.notify.Add(d) // polling finds what cannot be listened to
	}
}

func (w *watcher) listenTo(p string, dirs map[string]bool) {
	info, err := os.Stat(p)
	if err != nil || !info.IsDir() {
		w.names[p] = true
		d := filepath.Dir(p)
		for ; err != nil; d = filepath.Dir(d) {
			if _, e := os.Stat(d); e == nil || d == filepath.Dir(d) {
				break
			}
			w.names[d] = true
		}
		dirs[d] = true
		return
	}
	dirs[filepath.Dir(p)] = true // to see the folder itself come back
	_ = filepath.WalkDir(p+string(filepath.Separator), func(at string, d fs.DirEntry, err error) error {
		at = filepath.Clean(at)
		switch {
		case err != nil:
			return nil
		case !d.IsDir():
			return nil
		case at != p && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		}
		w.folders[at], dirs[at] = true, true
		return nil
	})
}

// publishUpdate tells sink what changed.
func (w *watcher) publishUpdate(validated bool) {
	results := make([]*fileResult, 0, len(w.order))
	for _, p := range w.order {
		results = append(results, w.files[p].currentResult(w.o.Source))
	}
	r := assembleResult(w.o, results, slices.Clone(w.listErrs))
	u := Update{Broken: r.Broken, Files: r.Files, Validated: validated}
	now := make(map[model.Key]model.Object, len(r.Objects))
	for _, obj := range r.Objects {
		k := obj.ObjectKey()
		if old, ok := w.published[k]; ok && (old == obj || reflect.DeepEqual(old, obj)) {
			now[k] = old
			continue
		}
		now[k] = obj
		u.Upsert = append(u.Upsert, obj)
	}
	for k := range w.published {
		if _, ok := now[k]; !ok {
			u.Remove = append(u.Remove, k)
		}
	}
	slices.SortFunc(u.Remove, model.Key.Compare)
	sums := make(map[string][32]byte, len(r.Files))
	for _, f := range r.Files {
		sums[f.Path] = f.Sum
	}
	// A complete check is news even when nothing was wrong.
	if w.hasBegun && w.validated == validated && len(u.Upsert) == 0 && len(u.Remove) == 0 && slices.Equal(w.broken, u.Broken) &&
		maps.Equal(w.sums, sums) {
		return
	}
	w.hasBegun, w.validated, w.published, w.broken, w.sums = true, validated, now, u.Broken, sums
	w.sink(u)
}
