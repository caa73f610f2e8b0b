package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/sources/files"
	"rung/system"
)

// fileNeed lists the contents of -f without which a command makes no sense. A change needs nothing: it may
// create the first policy, or restore the last one.
type fileNeed int

const (
	NeedNothing fileNeed = iota
	NeedObjects
	needPolicies
)

var needsOf = map[string]fileNeed{
	"ladder": needPolicies, "lint": needPolicies, "compile": needPolicies,
	"policy": NeedObjects, "pod": NeedObjects, "drift": NeedObjects, "rows": NeedObjects, "zones": NeedObjects,
	"probe": NeedObjects, "verify": NeedObjects, "matrix": NeedObjects, "connections": NeedObjects, "convert": NeedObjects,
	"activity": NeedObjects, "report": NeedObjects, "can": NeedObjects, "logs": NeedObjects, "plan": NeedObjects,
}

// emptyError says that the files of -f hold nothing to show.
type emptyError struct{ what string }

func (e *emptyError) Error() string { return e.what }

// EmptyFolders returns an error if the folders of -f hold no manifests. It reads none.
func (a *App) EmptyFolders() error {
	if a.Needs == NeedNothing || len(a.Flags.Files) == 0 || len(a.Flags.NB) > 0 || !engine.HasNoManifests(a.Flags.Files) {
		return nil
	}
	return &emptyError{fmt.Sprintf("no manifests in %s: want files that end in .yaml, .yml or .json, also with .gz; "+
		"check -f, or try: rung demo", a.filesNamed())}
}

// WhyNotEnough returns an error if the files hold too little for the command. If something could not be read,
// or databases are given, there is something to show.
func (a *App) WhyNotEnough(r *revision.Revision) error {
	if r.Mode.Name != revision.FilesMode || a.Needs == NeedNothing || !r.Mode.Sandbox && len(r.Zones) > 0 ||
		slices.ContainsFunc(r.Broken, func(b model.Broken) bool { return b.Severity == model.SeverityError }) {
		return nil
	}
	var there []string
	for _, k := range []model.Kind{model.KindNamespace, model.KindPod, model.KindNode} {
		if n := r.Cluster.Count(k); n > 0 {
			there = append(there, words.Count(n, strings.ToLower(string(k))))
		}
	}
	// Networks, and objects that policies refer to such as tiers, are checked even without policies.
	has := func(k model.Kind) bool { return r.Cluster.Count(k) > 0 }
	policies := system.OtherSystemsFound(r.Cluster) != "" ||
		slices.ContainsFunc([]model.Kind{model.KindUDN, model.KindCUDN, model.KindNAD, model.KindCNC}, has) ||
		slices.ContainsFunc(r.Broken, func(b model.Broken) bool { // a Template with policies
			return b.Key.Kind == "Template" && b.Severity == model.SeverityWarning
		})
	for range r.Cluster.EveryPolicy() {
		policies = true
		break
	}
	switch {
	case policies || a.Needs < needPolicies && len(there) > 0:
		return nil
	case len(there) > 0:
		return &emptyError{fmt.Sprintf("no policies in %s, only %s; check -f", a.filesNamed(), strings.Join(there, ", "))}
	case len(a.Flags.Files) == 1 && a.Flags.Files[0] == "-":
		return &emptyError{"nothing on standard input: no policies and no pods, namespaces or nodes"}
	}
	return &emptyError{fmt.Sprintf("nothing in %s: no policies and no pods, namespaces or nodes; check -f", a.filesNamed())}
}

func (a *App) filesNamed() string {
	names := page.MapList(a.Flags.Files, func(name string) string {
		if name == "-" {
			return "standard input"
		}
		return words.CleanText(name)
	})
	return words.ListSome(names, 3)
}

// ReadGiven reads any kind of file named on the command line, or standard input for "-", up to limit bytes and
// until ctx ends. The error does not name the file.
func (a *App) ReadGiven(ctx context.Context, path string, limit int64) ([]byte, error) {
	in := a.In
	if path != "-" {
		f, err := files.Open(ctx, path)
		if err != nil {
			return nil, withoutFileName(err)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("more than %d MiB", limit>>20)
	}
	if err != nil {
		return nil, withoutFileName(err)
	}
	return text, nil
}

func withoutFileName(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
