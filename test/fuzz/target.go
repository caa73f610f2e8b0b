package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// target is one fuzz function.
type target struct {
	dir  string // folder from the module's root
	name string
}

func (t target) String() string { return "./" + filepath.ToSlash(t.dir) + " " + t.name }

// find lists the fuzz targets below root, sorted by folder and name.
func find(root string) ([]target, error) {
	var out []target
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path == root {
				return nil
			}
			_, nested := os.Stat(filepath.Join(path, "go.mod"))
			if nested == nil || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, decl := range tree.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && isFuzz(fn) {
				out = append(out, target{dir: dir, name: fn.Name.Name})
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("looking for fuzz targets: %w", err)
	}
	slices.SortFunc(out, func(a, b target) int { return strings.Compare(a.String(), b.String()) })
	return out, nil
}

// isFuzz says whether a function is func FuzzX(f *testing.F).
func isFuzz(fn *ast.FuncDecl) bool {
	if fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Fuzz") || len(fn.Type.Params.List) != 1 {
		return false
	}
	star, ok := fn.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := star.X.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "F"
}

// verdict is how a run ended.
type verdict string

const (
	pass verdict = "ok"
	fail verdict = "FAIL"
)

// result is the outcome of a run.
type result struct {
	verdict verdict
	note    string
	output  string
}

// fuzz runs the target for a time with so many workers.
func (t target) fuzz(ctx context.Context, duration time.Duration, workers int) result {
	corpus := filepath.Join(t.dir, "testdata", "fuzz", t.name)
	before := names(corpus)
	begin := time.Now()
	// Making one new input smaller may take a minute, which would be the whole time of a
	// target with long inputs.
	cmd := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzzminimizetime", "1s",
		"-fuzztime", duration.String(), "-parallel", strconv.Itoa(workers), "-timeout", (duration + 10*time.Minute).String(), "./"+filepath.ToSlash(t.dir))
	out, err := cmd.CombinedOutput()
	return judge(string(out), err, len(names(corpus)) > len(before), time.Since(begin) >= duration)
}

// judge decides what a run means. Up to Go 1.26 the end of the fuzzing time can
// race with a worker and be reported as a failure of the target (golang/go issue
// 75804): when the whole time was used, nothing but the deadline is reported and
// no failing input was written, nothing was found.
func judge(output string, err error, wrote, fullTime bool) result {
	res := result{verdict: pass, note: lastProgress(output), output: output}
	switch {
	case err == nil:
		if strings.Contains(output, "no fuzz tests to fuzz") {
			return result{verdict: fail, note: "did not run", output: output}
		}
	case fullTime && !wrote && onlyDeadline(output):
		res.note += " (ended by the deadline race of go test)"
	default:
		res.verdict = fail
	}
	return res
}

// onlyDeadline says whether the deadline is the only thing a failed run
// complains about.
func onlyDeadline(output string) bool {
	var inside, deadline bool
	for line := range strings.Lines(output) {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "--- FAIL:"):
			inside = true
		case !inside || text == "":
		case text == "context deadline exceeded":
			deadline = true
		case text == "FAIL" || strings.HasPrefix(text, "FAIL\t") || strings.HasPrefix(text, "exit status"):
		default:
			return false
		}
	}
	return deadline
}

// lastProgress is the last line of progress without its label.
func lastProgress(output string) string {
	last := ""
	for line := range strings.Lines(output) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), "fuzz: elapsed: "); ok {
			if _, counts, ok := strings.Cut(rest, ", "); ok {
				last = counts
			}
		}
	}
	return last
}

// names lists a folder; one that does not exist is empty.
func names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
