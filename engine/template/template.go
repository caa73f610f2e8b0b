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

// Template is a pattern of policies, as a file in patterns has it.
type Template struct {
	Name string `yaml:"name"`
	For  string `yaml:"for"` // what it is for, in one line
	// Questions in the order in which they are asked.
	Questions []Question `yaml:"asks"`
	// Places says how many priorities the set takes, and where they are offered.
	Places struct {
		Count      int         `yaml:"count"`
		Before     placeBefore `yaml:"before"`
		LastBehind bool        `yaml:"lastBehind"` // the last is behind every policy
	} `yaml:"places"`
	// Policies, Expect and Notes have placeholders: see expander.
	Policies []any `yaml:"policies"`
	Expect   []any `yaml:"expect"`
	Notes    []any `yaml:"notes"`
	// Leaves says to whom the set leaves decisions.
	Leaves struct {
		When any           `yaml:"when"`
		To   LeftDecisions `yaml:"to"`
	} `yaml:"leaves"`
}

// LeftDecisions says to whom a set leaves decisions; empty for nobody.
type LeftDecisions string

// To whom decisions are left.
const (
	LeavesLower  LeftDecisions = "lower tiers" // NetworkPolicies and the baseline decide
	LeavesOthers LeftDecisions = "others"      // every other policy decides before
)

// AnswerKind says what an answer is.
type AnswerKind string

// The kinds of answers.
const (
	LabelKey   AnswerKind = "label"      // the key of a label of namespaces
	Values     AnswerKind = "values"     // values of that label, with commas between
	Namespaces AnswerKind = "namespaces" // a selector of namespaces
	Pods       AnswerKind = "pods"       // a selector of pods
	Ports      AnswerKind = "ports"      // 80, 8000-8100, 53/UDP, with commas between
	Priorities AnswerKind = "priorities" // places, one or more, ascending, with commas between
	OneOf      AnswerKind = "one of"     // one of the choices that are offered
	Name       AnswerKind = "name"       // of the set
)

// answerForms say how an answer of each kind is written.
var answerForms = map[AnswerKind]string{
	LabelKey:   "the key of a label: tenant",
	Values:     "values with commas between: blue,green",
	Namespaces: "labels of namespaces: tenant=blue, team in (a,b), name=shop for one by its name, all for every namespace",
	Pods:       "labels of pods: app=web, quarantine=true",
	Ports:      "ports with commas between: 80, 8000-8100, 53/UDP; any for every port",
	Priorities: "free priorities, ascending, with commas between: 40,43; where policies stand in tiers: application/5,application/6",
	OneOf:      "one of those that are offered",
	Name:       "a name such as tenant-isolation",
}

// Form says how an answer of the kind is written.
func (k AnswerKind) Form() string { return answerForms[k] }

// Question is something a template has to know.
type Question struct {
	Name string     `yaml:"name"` // of the answer
	Ask  string     `yaml:"ask"`  // what people are asked
	Kind AnswerKind `yaml:"kind"`
	// Extra means that nobody is asked: the first choice is taken unless an answer is given.
	Extra bool `yaml:"extra"`
	// Offer names what the cluster offers (World.offers); Choices are always offered.
	Offer   string   `yaml:"offer"`
	Choices []Choice `yaml:"choices"`
}

// Choice is an answer that is offered, with what it means here.
type Choice struct {
	Value string `yaml:"value"`
	Note  string `yaml:"note"`
}

// Answers by the names of their questions.
type Answers map[string]string

// nameAnswer is the answer that every template takes and none asks for: the name of the set.
const nameAnswer = "name"

// AllTemplates returns the templates there are.
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
			panic(fmt.Sprintf("%s: %v", f.Name(), err)) // a file of the program, which every test reads
		}
		t.Questions = append(t.Questions, Question{Name: nameAnswer, Ask: "What is the set called?", Kind: Name, Extra: true})
		out = append(out, t)
	}
	return out
})

// FindTemplate finds a template by its name, nil for none.
func FindTemplate(name string) *Template {
	for _, t := range AllTemplates() {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Question finds a question by its name, nil for none.
func (t *Template) Question(name string) *Question {
	i := slices.IndexFunc(t.Questions, func(q Question) bool { return q.Name == name })
	if i < 0 {
		return nil
	}
	return &t.Questions[i]
}

// QuestionNames returns the names of the questions, without those that nobody is asked.
func (t *Template) QuestionNames(extra bool) (out []string) {
	for i := range t.Questions {
		if extra || !t.Questions[i].Extra {
			out = append(out, t.Questions[i].Name)
		}
	}
	return out
}

// MissingError names the questions that have no answer.
type MissingError struct {
	Template  *Template
	Questions []string
	Offers    []string // what is offered for each, empty for nothing
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

// CompleteAnswers checks answers and adds those that nobody is asked for. Where one is missing the error is a
// MissingError. With offered, the first choice is taken for a missing answer.
func (t *Template) CompleteAnswers(w *World, given Answers, offered bool) (Answers, error) {
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if t.Question(name) == nil {
			return nil, fmt.Errorf("template %s does not ask for %q; it asks for %s", t.Name, name, strings.Join(t.QuestionNames(true), ", "))
		}
	}
	out, missing := Answers{}, &MissingError{Template: t}
	for i := range t.Questions {
		q := &t.Questions[i]
		text := given[q.Name]
		if strings.TrimSpace(text) == "" {
			first := w.FirstChoice(t, q, out)
			if !q.Extra && (!offered || first == "") {
				missing.Questions, missing.Offers = append(missing.Questions, q.Name), append(missing.Offers, first)
				out[q.Name] = first // what is offered for the next depends on it
				continue
			}
			text = first
		}
		checked, err := t.CheckAnswer(w, q, text, out)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", q.Name, text, err)
		}
		out[q.Name] = checked
	}
	if len(missing.Questions) > 0 {
		return nil, missing
	}
	return out, nil
}
