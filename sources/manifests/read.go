package manifests

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"rung/model"
	"rung/sources/files"
	"rung/sources/manifests/yamltree"
)

// ErrNoPaths is returned for empty Paths.
var ErrNoPaths = errors.New("no files given")

// Read reads all paths of the options. Unreadable parts are in Broken; an error means no paths, or ctx ended.
func Read(ctx context.Context, o Options) (*Result, error) {
	o = o.withDefaults()
	if len(o.Paths) == 0 {
		return nil, ErrNoPaths
	}
	if err := o.openTrees(ctx); err != nil {
		return nil, err
	}
	inputs, broken := o.listInputs()
	o.progress = newProgress(o.Progress)
	files, err := readFiles(ctx, o, inputs)
	if err != nil {
		return nil, err
	}
	return assembleResult(o, files, broken), nil
}

// Parse reads objects from text in memory; errors show name as its file.
func Parse(name string, text []byte, o Options) *Result {
	o = o.withDefaults()
	var read []*fileResult
	var broken []model.Broken
	if int64(len(text)) > o.Limits.FileSize {
		broken = append(broken, fileBroken(o.Source, name,
			"exceeds the limit of "+files.SizeText(o.Limits.FileSize)+" per file", ""))
	} else {
		f := &fileResult{text: text, file: FileState{Path: name, Size: int64(len(text))}}
		read, _ = decodeFiles(context.Background(), o, []*fileResult{f}) // never ends early
	}
	r := assembleResult(o, read, broken)
	r.Files = nil
	return r
}

// ParsePolicy reads one policy through both gates. For an unusable one it returns nil, and errors that say why.
func ParsePolicy(text []byte) (*model.Policy, []model.Broken) { return Options{}.ParsePolicy(text) }

// ParsePolicy reads one policy, validated by the CRDs of the options.
func (o Options) ParsePolicy(text []byte) (*model.Policy, []model.Broken) {
	r := Parse("", text, o)
	broken := r.Broken
	var p *model.Policy
	for _, found := range r.Objects {
		q := WrittenPolicy(found)
		switch {
		case q == nil:
			broken = append(broken, notOnePolicy(objectOrigin(found), found.ObjectKey(), "is not a policy"))
		case p != nil:
			broken = append(broken, notOnePolicy(q.Origin, q.Key, "is a second policy: only one is expected"))
		default:
			p = q
		}
	}
	failed := slices.ContainsFunc(broken, model.Broken.IsError)
	if p == nil && !failed {
		broken = append(broken, notOnePolicy(model.Origin{Item: -1}, model.Key{}, "this text has no policy"))
	}
	if failed || p == nil {
		return nil, broken
	}
	return p, broken
}

func notOnePolicy(at model.Origin, k model.Key, msg string) model.Broken {
	return model.Broken{Severity: model.SeverityError, Origin: at, Key: k, Code: CodeNotObject, Message: msg}
}

// fileResult holds the objects and errors of one file, before files are combined.
type fileResult struct {
	file    FileState
	text    []byte // decompressed, without byte order mark; nil once decoded
	input   inputFile
	objects []model.Object
	broken  []model.Broken
	// partial means a part of the file could not be parsed, so its objects are unknown.
	partial bool
	// unread are the objects of kinds that Rung does not use, by kind.
	unread []groupedNote
	units  []*textUnit
	weight float64 // bytes on disk per byte of units
}

// batchSize bounds the text held in memory, in bytes, unless one file is larger.
const batchSize = 64 << 20

// readFiles reads and decodes files in batches: a must-gather has many.
func readFiles(ctx context.Context, o Options, inputs []inputFile) ([]*fileResult, error) {
	var all []*fileResult
	o.progress.expectFiles(inputs)
	for len(inputs) > 0 {
		n, size := 1, inputs[0].size
		for n < len(inputs) && size+inputs[n].size <= batchSize {
			size += inputs[n].size
			n++
		}
		files, err := readBatch(ctx, o, inputs[:n])
		if err != nil {
			return nil, err
		}
		all = append(all, files...)
		inputs = inputs[n:]
	}
	return all, nil
}

func readBatch(ctx context.Context, o Options, inputs []inputFile) ([]*fileResult, error) {
	files := make([]*fileResult, len(inputs))
	err := runParallel(ctx, workerCount(len(inputs)), len(inputs), func(_, i int) {
		files[i] = &fileResult{input: inputs[i], file: FileState{Path: inputs[i].name}}
		if err := files[i].load(ctx, o); err != nil {
			files[i].partial = true
			files[i].broken = append(files[i].broken, fileBroken(o.Source, inputs[i].name, err.Error(), ""))
		}
	})
	if err != nil {
		return nil, err
	}
	return decodeFiles(ctx, o, files)
}

// decodeFiles splits the files' text and decodes the units in parallel.
func decodeFiles(ctx context.Context, o Options, files []*fileResult) ([]*fileResult, error) {
	var units []*textUnit
	for _, f := range files {
		f.splitUnits(o)
		o.progress.noteLoaded(f)
		units = append(units, f.units...)
	}
	decoders := make([]*decoder, workerCount(len(units)))
	for i := range decoders {
		decoders[i] = newDecoder(o)
	}
	err := runParallel(ctx, len(decoders), len(units), func(worker, i int) {
		units[i].out = decoders[worker].decodeUnit(units[i])
		o.progress.addDone(units[i].file, len(units[i].text))
	})
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		f.collectUnits(decoders[0])
	}
	return files, nil
}

// splitUnits cuts a file into units.
func (f *fileResult) splitUnits(o Options) {
	f.units = nil
	docs, _, err := yamltree.CutDocuments(f.file.Path, f.text)
	if err != nil {
		d := newDecoder(o)
		d.out = &unitOutcome{}
		d.addSyntaxError(err, model.Origin{Source: o.Source, File: f.file.Path, Item: -1})
		f.broken = append(f.broken, d.out.broken...)
		f.partial = true
		return
	}
	for i, doc := range docs {
		whole := &textUnit{file: f, text: f.text[doc.Body:doc.End], root: doc.Root, doc: i, item: -1, line: doc.Line}
		if doc.Root == nil {
			if kind, parts, ok := yamltree.SplitList(whole.text); ok {
				for j, p := range parts {
					f.units = append(f.units, &textUnit{file: f, text: whole.text[p.Start:p.End], doc: i, item: j, line: doc.Line + p.Line,
						kind: kind, list: whole})
				}
				continue
			}
		}
		f.units = append(f.units, whole)
	}
}

// collectUnits joins the results of a file's units, in order. If items of a List do not parse alone, the List
// is parsed whole: if that works, it had been cut wrongly.
func (f *fileResult) collectUnits(d *decoder) {
	for _, u := range f.units {
		if u.list != nil && u.out.syntax != nil && u.list.out == nil {
			u.list.out = d.decodeUnit(u.list)
		}
	}
	var asides []groupedNote
	var last *unitOutcome
	for _, u := range f.units {
		o := u.out
		if l := u.list; l != nil && l.out != nil && (l.out.syntax == nil || l.out.syntax.Code == CodeAliases) {
			o = l.out // the same for all its items
		}
		if o == last {
			continue
		}
		last = o
		f.objects = append(f.objects, o.objects...)
		f.broken = append(f.broken, o.broken...)
		asides = append(asides, o.groupedNotes...)
		f.partial = f.partial || o.syntax != nil
	}
	for _, a := range joinGroupedNotes(asides) {
		if a.isUnread() {
			f.unread = append(f.unread, a)
		} else {
			f.broken = append(f.broken, a.entry(" in the file"))
		}
	}
	f.units, f.text = nil, nil
}

// workerCount returns the number of goroutines for n jobs. The number of processors may change.
func workerCount(n int) int { return max(1, min(n, runtime.GOMAXPROCS(0))) }

// runParallel runs f for every i below n on a number of goroutines, and passes it the goroutine's number. It
// returns when all have ended; with ctx's error if ctx ended first.
func runParallel(ctx context.Context, workers, n int, f func(worker, i int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				f(w, i)
			}
		})
	}
	wg.Wait()
	return ctx.Err()
}
