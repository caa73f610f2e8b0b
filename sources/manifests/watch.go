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
	// Validated means gate 1 was run: false only in the first update if Options.SkipSchema is set.
	Validated bool
}

// watchTimes are the times of a watch; tests shorten them.
type watchTimes struct {
	debounce time.Duration // quiet time before a reading
	maxWait  time.Duration // longest wait for quiet before a reading
	settle   time.Duration // how long a file must be missing before it counts as gone
	poll     time.Duration // time between checks without events: some file systems send none
	pollFast time.Duration // the same if watching does not work at all
}

var defaultTiming = watchTimes{100 * time.Millisecond, 2 * time.Second, 500 * time.Millisecond, 30 * time.Second,
	2 * time.Second}

// Watch reads everything as Read does and calls sink, then follows the files and calls sink with the changes,
// until ctx ends. sink is called one call at a time, in order, and never with half-read objects.
//
// With Options.SkipSchema the first update comes before gate 1. The second removes what gate 1 rejects.
//
// An object whose file or document is now broken, or that a gate now rejects, stays unchanged. Broken then has
// an entry of CodeKept beside the error. A missing file loses its objects only after half a second; CodeGone
// reports it. Standard input, revisions of a repository and built-in files are read once.
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
	// Listen before the first reading, to miss no change.
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
	for _, opened := range o.trees { // they are read only once
		opened.tree.dropTexts()
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
	notify *fsnotify.Watcher // nil if watching does not work

	// Watched: all entries of folders, and files by name in their folder (names).
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

// waitForChanges waits for changes. Every change restarts the quiet time; scanFiles may ask for another call.
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
	var since time.Time // of the first unread change
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
				continue // read soon, once it is quiet
			}
		}
		since = time.Time{}
		// Listen before reading, to miss no change.
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

// isRelevant reports whether an event may concern a file that is read.
func (w *watcher) isRelevant(ev fsnotify.Event) bool {
	name := filepath.Clean(ev.Name)
	base := filepath.Base(name)
	switch {
	case w.names[name]:
		return true
	case !w.folders[filepath.Dir(name)]:
		return strings.HasPrefix(base, "..") || w.folders[name]
	}
	// Folders come and go too, under any name. Mounted ConfigMaps change through a link named "..data".
	return isManifestName(base) || strings.HasPrefix(base, "..") || !strings.Contains(base, ".")
}

// listenFolders updates the watched folders. A file is watched through its folder, since editors replace it; a
// missing path through the nearest existing folder.
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
			_ = w.notify.Remove(d) // gone, or no longer needed
		}
		delete(dirs, d)
	}
	for d := range dirs {
		_ = w.notify.Add(d) // polling covers folders that cannot be watched
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
	dirs[filepath.Dir(p)] = true // to notice when the folder itself comes back
	_ = filepath.WalkDir(p+string(filepath.Separator), func(at string, d fs.DirEntry, err error) error {
		at = filepath.Clean(at)
		switch {
		case err != nil || !d.IsDir():
			return nil
		case at != p && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		}
		w.folders[at], dirs[at] = true, true
		return nil
	})
}

// publishUpdate passes the changes to sink.
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
	// A completed check is news even without findings.
	if w.hasBegun && w.validated == validated && len(u.Upsert) == 0 && len(u.Remove) == 0 && slices.Equal(w.broken, u.Broken) &&
		maps.Equal(w.sums, sums) {
		return
	}
	w.hasBegun, w.validated, w.published, w.broken, w.sums = true, validated, now, u.Broken, sums
	w.sink(u)
}
