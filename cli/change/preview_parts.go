package change

import (
	"context"
	"errors"
	"slices"

	"rung/change"
	"rung/cli/command"
	"rung/revision"
)

// previewParts are the changes of a preview, in the order of the command line.
type previewParts []onePart

// onePart is one of them: op and what stands behind the flag. What --change names is read
// into apply.
type onePart struct {
	op    change.Op
	arg   string
	apply change.Mutation
}

// previewPart is a flag that adds to them.
type previewPart struct {
	all *previewParts
	op  change.Op
}

func (f previewPart) String() string { return "" }
func (f previewPart) Type() string   { return "string" }

// Set adds a change.
func (f previewPart) Set(arg string) error {
	if arg == "" {
		return errors.New("it is empty")
	}
	*f.all = append(*f.all, onePart{op: f.op, arg: arg})
	return nil
}

// read reads the files, those of a --prune together: a policy stays that is in one of them.
func (p *previewParts) read(ctx context.Context, a *command.App, prune bool) error {
	other := func(x onePart) bool { return x.op != change.OpApply }
	switch {
	case len(*p) == 0 && prune:
		return errors.New("--prune: give --change, with all policies there are to be")
	case len(*p) == 0:
		return errors.New("which change? give --change FILE, --delete POLICY or --move POLICY=PRIORITY")
	case prune && slices.ContainsFunc(*p, other):
		return errors.New("--prune goes with --change alone, and deletes what is in none of the files")
	case prune:
		var paths []string
		for _, x := range *p {
			paths = append(paths, x.arg)
		}
		m, err := applied(ctx, a, paths)
		m.Prune = true
		*p = previewParts{{op: change.OpApply, apply: m}}
		return err
	}
	for i := range *p {
		if x := &(*p)[i]; x.op == change.OpApply {
			var err error
			if x.apply, err = applied(ctx, a, []string{x.arg}); err != nil {
				return err
			}
		}
	}
	return nil
}

// mutation is one change of all of them.
func (p *previewParts) mutation(r *revision.Revision) (change.Mutation, error) {
	out := change.Mutation{Op: change.OpCombine}
	for _, x := range *p {
		m, err := x.apply, error(nil)
		switch x.op {
		case change.OpDelete:
			m.Op = change.OpDelete
			m.Policy, err = command.PolicyNamed(r, x.arg)
		case change.OpMove:
			m, err = moveOf(r, x.arg)
		}
		if err != nil {
			return m, err
		}
		out.Parts = append(out.Parts, m)
	}
	if len(out.Parts) == 1 {
		return out.Parts[0], nil
	}
	return out, nil
}
