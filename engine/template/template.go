package template

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"rung/model/words"
)

//go:embed patterns/*.yaml
var patternFiles embed.FS

// Template is a pattern of policies, read from a file in patterns.
type Template struct {
	Name string `yaml:"name"`
	For  string `yaml:"for"` // purpose, in one line
	// Questions in the order in which they are asked.
	Questions []Question `yaml:"asks"`
	// Places configures the priorities of the set: their number, and the policies they come before.
	Places struct {
		Count      int         `yaml:"count"`
		Before     placeBefore `yaml:"before"`
		LastBehind bool        `yaml:"lastBehind"` // the last comes after every policy
	} `yaml:"places"`
	// Policies, Expect and Notes have placeholders: see expander.
	Policies []any `yaml:"policies"`
	Expect   []any `yaml:"expect"`
	Notes    []any `yaml:"notes"`
	// Leaves tells which policies the set leaves decisions to.
	Leaves struct {
		When any           `yaml:"when"`
		To   LeftDecisions `yaml:"to"`
	} `yaml:"leaves"`
}

// LeftDecisions tells which policies a set leaves decisions to; empty if none.
type LeftDecisions string

// Policies that decisions are left to.
const (
	LeavesLower  LeftDecisions = "lower tiers" // NetworkPolicies and the baseline decide
	LeavesOthers LeftDecisions = "others"      // every other policy decides first
)

// AnswerKind is the kind of an answer.
type AnswerKind string

// The kinds of answers.
const (
	LabelKey   AnswerKind = "label"      // key of a namespace label
	Values     AnswerKind = "values"     // comma-separated values of that label
	Namespaces AnswerKind = "namespaces" // namespace selector
	Pods       AnswerKind = "pods"       // pod selector
	Ports      AnswerKind = "ports"      // 80, 8000-8100, 53/UDP, comma-separated
	Priorities AnswerKind = "priorities" // one or more positions, ascending, comma-separated
	OneOf      AnswerKind = "one of"     // one of the offered choices
	Name       AnswerKind = "name"       // of the set
)

// answerForms explain how to write an answer of each kind.
var answerForms = map[AnswerKind]string{
	LabelKey:   "the key of a label: tenant",
	Values:     "comma-separated values: blue,green",
	Namespaces: "labels of namespaces: tenant=blue, team in (a,b), name=shop for one namespace, all for every namespace",
	Pods:       "labels of pods: app=web, quarantine=true",
	Ports:      "comma-separated ports: 80, 8000-8100, 53/UDP; any for every port",
	Priorities: "free priorities, ascending, comma-separated: 40,43; with tiers: application/5,application/6",
	OneOf:      "one of the choices",
	Name:       "a name such as tenant-isolation",
}

// Form explains how to write an answer of the kind.
func (k AnswerKind) Form() string { return answerForms[k] }

// Question is something a template has to know.
type Question struct {
	Name string     `yaml:"name"` // of the answer
	Ask  string     `yaml:"ask"`  // the question's text
	Kind AnswerKind `yaml:"kind"`
	// Extra means that the question is not asked: the first choice is the default.
	Extra bool `yaml:"extra"`
	// Offer names what the cluster offers (World.OfferedChoices); Choices are always offered.
	Offer   string   `yaml:"offer"`
	Choices []Choice `yaml:"choices"`
}

// Choice is an offered answer with its meaning here.
type Choice struct {
	Value string `yaml:"value"`
	Note  string `yaml:"note"`
}

// Answers maps question names to answers.
type Answers map[string]string

// nameAnswer is the answer that every template accepts and none asks for: the name of the set.
const nameAnswer = "name"

// AllTemplates returns all templates.
var AllTemplates = sync.OnceValue(func() (out []*Template) {
	files, err := patternFiles.ReadDir("patterns")
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		text, err := patternFiles.ReadFile("patterns/" + f.Name())
		if err != nil {
			panic(err)
		}
		t := &Template{}
		if err := yaml.Unmarshal(text, t); err != nil {
			panic(fmt.Sprintf("%s: %v", f.Name(), err)) // built-in file, read by every test
		}
		t.Questions = append(t.Questions, Question{Name: nameAnswer, Ask: "What is the set called?", Kind: Name, Extra: true})
		out = append(out, t)
	}
	return out
})

// FindTemplate finds a template by its name; nil if unknown.
func FindTemplate(name string) *Template {
	if i := slices.IndexFunc(AllTemplates(), func(t *Template) bool { return t.Name == name }); i >= 0 {
		return AllTemplates()[i]
	}
	return nil
}

// Question finds a question by its name; nil if unknown.
func (t *Template) Question(name string) *Question {
	i := slices.IndexFunc(t.Questions, func(q Question) bool { return q.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Questions[i]
}

// QuestionNames returns the names of the questions; extra includes those not asked.
func (t *Template) QuestionNames(extra bool) (out []string) {
	for i := range t.Questions {
		if extra || !t.Questions[i].Extra {
			out = append(out, t.Questions[i].Name)
		}
	}
	return out
}

// MissingError names the questions without an answer.
type MissingError struct {
	Template  *Template
	Questions []string
	Offers    []string // what is offered for each, empty if nothing
}

func (e *MissingError) Error() string {
	var names []string
	for i, name := range e.Questions {
		if e.Offers[i] != "" {
			name += " (for example " + e.Offers[i] + ")"
		}
		names = append(names, name)
	}
	return fmt.Sprintf("template %s needs %s: %s", e.Template.Name, words.OneOrMany(len(names), "an answer", "answers"),
		strings.Join(names, ", "))
}

// CompleteAnswers checks answers and adds defaults for questions not asked. A missing answer is a
// MissingError, or with offered becomes the first choice. It also returns the values of the answers' placeholders.
func (t *Template) CompleteAnswers(w *World, given Answers, offered bool) (Answers, map[string]any, error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if t.Question(name) == nil {
			return nil, nil, fmt.Errorf("template %s does not ask for %q; it asks for %s", t.Name, name, strings.Join(t.QuestionNames(true), ", "))
		}
	}
	out, values, missing := Answers{}, object{}, &MissingError{Template: t}
	for i := range t.Questions {
		q := &t.Questions[i]
		text := given[q.Name]
		if strings.TrimSpace(text) == "" {
			first := w.FirstChoice(t, q, out)
			if !q.Extra && (!offered || first == "") {
				missing.Questions, missing.Offers = append(missing.Questions, q.Name), append(missing.Offers, first)
				out[q.Name] = first // the next question's offer depends on it
				continue
			}
			text = first
		}
		checked, err := t.readAnswer(w, q, text, out, values)
		if err != nil {
			return nil, nil, fmt.Errorf("%s %q: %w", q.Name, text, err)
		}
		out[q.Name] = checked
	}
	if len(missing.Questions) > 0 {
		return nil, nil, missing
	}
	return out, values, nil
}
