package form

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/template/parse"
)

// parseTemplate reads a template of kubectl -o go-template. It is run here, on values of JSON
// alone: Go's own package looks methods up by name, for which the linker would keep all there are.
func parseTemplate(text string) (renderer, error) {
	known := map[string]any{}
	for name := range templateFuncs {
		known[name] = true // the parser asks for the names
	}
	trees, err := parse.Parse("template", text, "", "", known)
	if err != nil {
		return nil, err
	}
	return func(b *bytes.Buffer, value any) error {
		r := &templateRun{out: b, trees: trees, vars: []templateVar{{"$", value}}}
		if tree := trees["template"]; tree != nil {
			return r.walk(value, tree.Root)
		}
		return nil
	}, nil
}

// templateRun is a template while it is run.
type templateRun struct {
	out   *bytes.Buffer
	trees map[string]*parse.Tree
	vars  []templateVar
	depth int // of templates in templates
}

type templateVar struct {
	name  string
	value any
}

// errBreak and errContinue end a turn of a range before its end.
var errBreak, errContinue = errors.New("break"), errors.New("continue")

const maxTemplateDepth = 1000

// walk runs a part of the template.
func (r *templateRun) walk(dot any, node parse.Node) error {
	switch n := node.(type) {
	case *parse.TextNode:
		r.out.Write(n.Text)
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		for _, part := range n.Nodes {
			if err := r.walk(dot, part); err != nil {
				return err
			}
		}
	case *parse.ActionNode:
		value, err := r.pipeline(dot, n.Pipe)
		if err == nil && len(n.Pipe.Decl) == 0 {
			r.out.WriteString(printable(value))
		}
		return err
	case *parse.IfNode:
		return r.branch(dot, &n.BranchNode, false)
	case *parse.WithNode:
		return r.branch(dot, &n.BranchNode, true)
	case *parse.RangeNode:
		return r.walkRange(dot, n)
	case *parse.TemplateNode:
		return r.walkTemplate(dot, n)
	case *parse.BreakNode:
		return errBreak
	case *parse.ContinueNode:
		return errContinue
	}
	return nil
}

// branch runs one of two parts; with has the value as its dot.
func (r *templateRun) branch(dot any, n *parse.BranchNode, with bool) error {
	defer r.forget(len(r.vars))
	value, err := r.pipeline(dot, n.Pipe)
	switch {
	case err != nil:
		return err
	case !isTrue(value):
		return r.walk(dot, n.ElseList)
	case with:
		return r.walk(value, n.List)
	}
	return r.walk(dot, n.List)
}

// forget forgets the variables of a part that ends.
func (r *templateRun) forget(n int) { r.vars = r.vars[:n] }

func (r *templateRun) walkRange(dot any, n *parse.RangeNode) error {
	defer r.forget(len(r.vars))
	value, err := r.pipeline(dot, n.Pipe)
	if err != nil {
		return err
	}
	inside, turns := len(r.vars), 0
	turn := func(key, value any) error {
		defer r.forget(inside)
		turns++
		switch names := n.Pipe.Decl; {
		case len(names) == 1:
			r.set(names[0].Ident[0], value, n.Pipe.IsAssign)
		case len(names) == 2:
			r.set(names[0].Ident[0], key, n.Pipe.IsAssign)
			r.set(names[1].Ident[0], value, n.Pipe.IsAssign)
		}
		if err := r.walk(value, n.List); !errors.Is(err, errContinue) {
			return err
		}
		return nil
	}
	err = rangeOver(value, turn)
	switch {
	case errors.Is(err, errBreak):
		return nil
	case err == nil && turns == 0:
		return r.walk(dot, n.ElseList)
	}
	return err
}

// rangeOver visits what is in a value.
func rangeOver(value any, turn func(key, value any) error) error {
	switch v := value.(type) {
	case nil, noKey:
	case []any:
		for i, x := range v {
			if err := turn(i, x); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := turn(key, v[key]); err != nil {
				return err
			}
		}
	case int:
		for i := range v {
			if err := turn(i, i); err != nil {
				return err
			}
		}
	case int64:
		return rangeOver(int(v), turn)
	default:
		return fmt.Errorf("range can't iterate over %v", value)
	}
	return nil
}

func (r *templateRun) walkTemplate(dot any, n *parse.TemplateNode) error {
	tree := r.trees[n.Name]
	if tree == nil {
		return fmt.Errorf("template %q not defined", n.Name)
	}
	if r.depth == maxTemplateDepth {
		return fmt.Errorf("exceeded maximum template depth (%d)", maxTemplateDepth)
	}
	value, err := r.pipeline(dot, n.Pipe)
	if err != nil {
		return err
	}
	inner := &templateRun{out: r.out, trees: r.trees, vars: []templateVar{{"$", value}}, depth: r.depth + 1}
	return inner.walk(value, tree.Root)
}

// set makes a variable, or gives one that is there another value.
func (r *templateRun) set(name string, value any, there bool) {
	for i := len(r.vars) - 1; there && i >= 0; i-- {
		if r.vars[i].name == name {
			r.vars[i].value = value
			return
		}
	}
	r.vars = append(r.vars, templateVar{name, value})
}

// pipeline is the value of commands, each of which has that of the one before as its last argument.
func (r *templateRun) pipeline(dot any, pipe *parse.PipeNode) (value any, err error) {
	if pipe == nil {
		return nil, nil
	}
	var final []any
	for _, cmd := range pipe.Cmds {
		if value, err = r.command(dot, cmd, final); err != nil {
			return nil, err
		}
		final = []any{value}
	}
	for _, v := range pipe.Decl {
		if len(pipe.Decl) == 1 {
			r.set(v.Ident[0], value, pipe.IsAssign)
		}
	}
	return value, nil
}

// command is the value of one command.
func (r *templateRun) command(dot any, cmd *parse.CommandNode, final []any) (any, error) {
	first := cmd.Args[0]
	if f, ok := first.(*parse.IdentifierNode); ok {
		return r.call(dot, f.Ident, cmd.Args[1:], final)
	}
	if len(cmd.Args) > 1 || len(final) > 0 {
		return nil, fmt.Errorf("can't give argument to non-function %s", first)
	}
	if _, ok := first.(*parse.NilNode); ok {
		return nil, errors.New("nil is not a command")
	}
	return r.argument(dot, first)
}

// call is the value of a function. and and or look at no more than they need.
func (r *templateRun) call(dot any, name string, nodes []parse.Node, final []any) (any, error) {
	var args []any
	for i, node := range nodes {
		value, err := r.argument(dot, node)
		if err != nil {
			return nil, err
		}
		last := i == len(nodes)-1 && len(final) == 0
		if (name == "and" && !isTrue(value) || name == "or" && isTrue(value)) && !last {
			return value, nil
		}
		args = append(args, value)
	}
	args = append(args, final...)
	for i := range args {
		if _, ok := args[i].(noKey); ok {
			args[i] = nil
		}
	}
	f := templateFuncs[name]
	if len(args) < f.least || f.most >= 0 && len(args) > f.most {
		return nil, fmt.Errorf("wrong number of args for %s: want at least %d got %d", name, f.least, len(args))
	}
	value, err := f.run(args)
	if err != nil {
		return nil, fmt.Errorf("error calling %s: %w", name, err)
	}
	return value, nil
}

// argument is the value of a part of a command.
func (r *templateRun) argument(dot any, node parse.Node) (any, error) {
	switch n := node.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.NilNode:
		return nil, nil
	case *parse.BoolNode:
		return n.True, nil
	case *parse.StringNode:
		return n.Text, nil
	case *parse.NumberNode:
		switch {
		case n.IsInt:
			return int(n.Int64), nil
		case n.IsFloat:
			return n.Float64, nil
		}
		return nil, fmt.Errorf("%s is no number of JSON", n.Text)
	case *parse.FieldNode:
		return fieldsOf(dot, n.Ident)
	case *parse.VariableNode:
		for i := len(r.vars) - 1; i >= 0; i-- {
			if r.vars[i].name == n.Ident[0] {
				return fieldsOf(r.vars[i].value, n.Ident[1:])
			}
		}
		return nil, fmt.Errorf("undefined variable: %s", n.Ident[0])
	case *parse.PipeNode:
		return r.pipeline(dot, n)
	case *parse.ChainNode:
		value, err := r.argument(dot, n.Node)
		if err != nil {
			return nil, err
		}
		return fieldsOf(value, n.Field)
	case *parse.IdentifierNode:
		return r.call(dot, n.Ident, nil, nil)
	}
	return nil, fmt.Errorf("can't handle %s", node)
}
