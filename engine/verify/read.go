package verify

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model/verdict"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// maxAliasNodes bounds the nodes that YAML aliases may expand to.
const maxAliasNodes = 100_000

// fileReader reads one file. It notes every mistake and reads the rest.
type fileReader struct {
	file       string
	line       int // lines before the current document
	path       []yamltree.PathStep
	out        []Statement
	problems   []*Problem
	hasProblem bool // the current statement has a mistake
}

// ReadStatements parses statements from a file's text. It leaves out statements with mistakes; every mistake
// is a Problem.
func ReadStatements(file string, text []byte) ([]Statement, []*Problem) {
	r := &fileReader{file: words.CleanText(file)}
	text = []byte(strings.TrimPrefix(string(text), string(yamltree.BOM)))
	docs, isJSON, err := yamltree.CutDocuments(file, text)
	if err != nil {
		r.syntaxProblem(err, "JSON")
		return nil, r.problems
	}
	n := 0
	for _, d := range docs {
		root := d.Root
		r.line = d.Line
		if isJSON {
			r.line = 0
		} else if root, err = yamltree.ParseFlat(text[d.Body:d.End], maxAliasNodes); err != nil {
			r.syntaxProblem(err, "YAML")
			continue
		}
		if root == nil || yamltree.IsNull(root) {
			continue
		}
		if root.Kind != yaml.SequenceNode {
			if kind := yamltree.TextAt(root, "kind"); kind != "" {
				r.addProblem(root, "is an object of the kind %s: want a list of statements; policies are given with -f", kind)
			} else {
				r.addProblem(root, "want a list of statements, each with expect, from and to")
			}
			continue
		}
		for _, item := range root.Content {
			r.path = []yamltree.PathStep{{Index: n}}
			r.readStatement(item)
			n++
		}
		r.path = nil
	}
	if n == 0 && len(r.problems) == 0 {
		r.problems = append(r.problems, &Problem{FilePlace{File: r.file}, "no statements in this file"})
	}
	return r.out, r.problems
}

func (r *fileReader) syntaxProblem(err error, form string) {
	p := &Problem{FilePlace{File: r.file}, "is not " + form + ": " + words.CleanText(err.Error())}
	var se *yamltree.SyntaxError
	if errors.As(err, &se) {
		p.Line, p.Message = r.line+max(se.Line, 1), "is not "+form+": "+words.CleanText(se.Msg)
	}
	r.problems = append(r.problems, p)
}

func (r *fileReader) nodePlace(n *yaml.Node) FilePlace {
	return FilePlace{r.file, r.line + n.Line, yamltree.PathText(r.path, false)}
}

func (r *fileReader) addProblem(n *yaml.Node, format string, args ...any) {
	r.hasProblem = true
	r.problems = append(r.problems, &Problem{r.nodePlace(n), words.CleanText(fmt.Sprintf(format, args...))})
}

// readItems reads the items of a list.
func (r *fileReader) readItems(n *yaml.Node, read func(item *yaml.Node)) {
	for i, e := range n.Content {
		r.readStep(yamltree.PathStep{Index: i}, func() { read(e) })
	}
}

// readStep calls read with one more step in the path.
func (r *fileReader) readStep(s yamltree.PathStep, read func()) {
	r.path = append(r.path, s)
	read()
	r.path = r.path[:len(r.path)-1]
}

// readFields reads the fields of a mapping; a null value is a mistake. It returns whether all fields are
// known.
func (r *fileReader) readFields(n *yaml.Node, known []string, read func(name string, key, v *yaml.Node)) (all bool) {
	var seen []string
	all = true
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		r.readStep(yamltree.FieldStep(k.Value), func() {
			switch {
			case !slices.Contains(known, k.Value):
				all = false
				r.addProblem(k, "unknown field; known fields: %s", strings.Join(known, ", "))
			case slices.Contains(seen, k.Value):
				r.addProblem(k, "is given twice")
			case !yamltree.IsNull(v):
				read(k.Value, k, v)
			default:
				r.addProblem(k, "is empty")
			}
		})
		seen = append(seen, k.Value)
	}
	return all
}

var statementFields = []string{"name", "expect", "from", "to", "protocol", "port", "exceptPort", "match", "allowNone"}

func (r *fileReader) readStatement(n *yaml.Node) {
	r.hasProblem = false
	if n.Kind != yaml.MappingNode {
		r.addProblem(n, "want a statement with expect, from and to")
		return
	}
	s := Statement{FilePlace: r.nodePlace(n)}
	p := portsRead{}
	s.ports = s.FilePlace
	known := r.readFields(n, statementFields, func(name string, key, v *yaml.Node) {
		switch name {
		case "name":
			s.Name = r.readText(v)
		case "expect":
			s.Expect = verdict.Verdict(r.readEither(v, string(verdict.Allow), string(verdict.Deny)))
		case "match":
			s.Some = r.readEither(v, "every", "some") == "some"
		case "allowNone":
			if yamltree.Tag(v) != "!!bool" {
				r.addProblem(v, "want true or false")
			}
			s.AllowNone = v.Value == "true"
		case "from":
			s.From = r.readEnds(v, true)
		case "to":
			s.To = r.readEnds(v, false)
		case "protocol":
			p.protocol = verdict.Protocol(strings.ToUpper(r.readText(v)))
			if !knownProtocol(p.protocol) {
				r.addProblem(v, "unknown protocol %q: use TCP, UDP, SCTP or ICMP", v.Value)
			}
		case "port":
			s.ports = r.nodePlace(key)
			p.port = v
		case "exceptPort":
			p.except = v
		}
	})
	for _, name := range []string{"expect", "from", "to"} {
		if yamltree.Get(n, name) == nil && known { // else an unknown field may be this one mistyped
			r.readStep(yamltree.FieldStep(name), func() { r.addProblem(n, "is missing") })
		}
	}
	s.Ports = r.readPorts(n, &p)
	if !r.hasProblem {
		r.out = append(r.out, s)
	}
}

// readText reads a scalar as text.
func (r *fileReader) readText(n *yaml.Node) string {
	switch {
	case n.Kind != yaml.ScalarNode:
		r.addProblem(n, "want text")
	case yamltree.Tag(n) != "!!str":
		r.addProblem(n, "%s is not text: put it in quotes", n.Value)
	case strings.TrimSpace(n.Value) == "":
		r.addProblem(n, "is empty")
	case !words.IsClean(n.Value):
		r.addProblem(n, "has invisible characters")
	}
	return words.CleanText(n.Value)
}

func (r *fileReader) readEither(n *yaml.Node, a, b string) string {
	if n.Kind != yaml.ScalarNode || n.Value != a && n.Value != b {
		got := "a mapping or a list"
		if n.Kind == yaml.ScalarNode {
			got = fmt.Sprintf("%q", n.Value)
		}
		r.addProblem(n, "%s: want %s or %s", got, a, b)
		return ""
	}
	return n.Value
}
