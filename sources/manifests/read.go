package manifests

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

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
		l := &loadedFile{text: text, file: FileState{Path: name, Size: int64(len(text))}}
		read, _ = decodeFiles(context.Background(), o, []*fileResult{{loadedFile: l}}) // never ends early
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
	*loadedFile
	input   inputFile
	objects []model.Object
	broken  []model.Broken
	// partial means a part of the file could not be parsed, so its objects are unknown.
	partial bool
	// unread are the objects of unneeded kinds, by kind.
	unread []groupedNote
	units  []textUnit
	trees  []*yaml.Node // trees of already parsed units (JSON), else nil
	spans  []listSpan
	weight float64 // bytes on disk per byte of units
}

// listSpan marks units[from:to] as the items of one List.
type listSpan struct {
	from, to int
	list     textUnit
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
		f := &fileResult{input: inputs[i]}
		l, broken := o.loadFile(ctx, inputs[i])
		if broken != nil {
			f.partial = true
			f.broken = append(f.broken, *broken)
			l = &loadedFile{file: FileState{Path: inputs[i].path}}
		}
		f.loadedFile = l
		files[i] = f
	})
	if err != nil {
		return nil, err
	}
	return decodeFiles(ctx, o, files)
}

// decodeFiles splits the files' text and decodes the units in parallel.
func decodeFiles(ctx context.Context, o Options, files []*fileResult) ([]*fileResult, error) {
	type job struct {
		f    *fileResult
		unit int
	}
	var jobs []job
	for _, f := range files {
		f.splitUnits(o)
		o.progress.noteLoaded(f)
		for i := range f.units {
			jobs = append(jobs, job{f, i})
		}
	}
	decoders := make([]*decoder, workerCount(len(jobs)))
	for i := range decoders {
		decoders[i] = newDecoder(o)
	}
	outs := make([]*unitOutcome, len(jobs))
	err := runParallel(ctx, len(decoders), len(jobs), func(worker, i int) {
		f, d := jobs[i].f, decoders[worker]
		outs[i] = d.decodeUnit(f.units[jobs[i].unit], f.trees[jobs[i].unit])
		o.progress.addDone(f, len(f.units[jobs[i].unit].text))
	})
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		n := len(f.units)
		f.collectUnits(decoders[0], outs[:n])
		outs = outs[n:]
	}
	return files, nil
}

// splitUnits cuts a file into units.
func (f *fileResult) splitUnits(o Options) {
	f.units, f.trees, f.spans = nil, nil, nil
	add := func(u textUnit, tree *yaml.Node) {
		f.units = append(f.units, u)
		f.trees = append(f.trees, tree)
	}
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
		if doc.Root != nil {
			add(textUnit{file: f.loadedFile, text: f.text[doc.Body:doc.End], doc: i, item: -1}, doc.Root)
			continue
		}
		text := f.text[doc.Body:doc.End]
		whole := textUnit{file: f.loadedFile, text: text, doc: i, item: -1, line: doc.Line}
		if lk, parts, ok := yamltree.SplitList(text); ok {
			f.spans = append(f.spans, listSpan{len(f.units), len(f.units) + len(parts), whole})
			for j, p := range parts {
				add(textUnit{file: f.loadedFile, text: text[p.Start:p.End], doc: i, item: j, line: doc.Line + p.Line, kind: lk}, nil)
			}
			continue
		}
		add(whole, nil)
	}
}

// collectUnits joins the results of a file's units, in order. If items of a List do not parse alone, the List
// is parsed whole: if that works, it had been cut wrongly.
func (f *fileResult) collectUnits(d *decoder, outs []*unitOutcome) {
	for _, s := range f.spans {
		if !slices.ContainsFunc(outs[s.from:s.to], func(o *unitOutcome) bool { return o.syntax != nil }) {
			continue
		}
		whole := d.decodeUnit(s.list, nil)
		if whole.syntax == nil || whole.syntax.Code == CodeAliases {
			clear(outs[s.from:s.to])
			outs[s.from] = whole
		}
	}
	var asides []groupedNote
	for _, o := range outs {
		if o == nil {
			continue
		}
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
	f.units, f.trees, f.spans, f.text = nil, nil, nil, nil
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
