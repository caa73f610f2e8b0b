package verify

import (
	"strings"
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
)

// Every mistake is said in one line with its line and field, all of them at once, and what
// is right beside them is kept.
func TestReadMistakes(t *testing.T) {
	const good = "- {expect: deny, from: blue/a, to: red/b}\n"
	for name, tc := range map[string]struct{ text, want string }{
		"typo in a field":              {"- expect: deny\n  form: blue/a\n  from: blue/a\n  to: red/b", "x.yaml:2: [0].form: unknown field; known fields: name, expect, from"},
		"typo in a field that must be": {"- expect: deny\n  form: blue/a\n  to: red/b", "x.yaml:2: [0].form: unknown field; known fields: name, expect, from"},
		"typo in an end":               {"- expect: deny\n  from: {namespace: a}\n  to:\n    pods: {app: b}", "x.yaml:4: [0].to.pods: unknown field; known fields: namespace, pod"},
		"unknown verdict":              {"- expect: alow\n  from: blue/a\n  to: red/b", `x.yaml:1: [0].expect: "alow": want allow or deny`},
		"verdict of another":           {"- {expect: true, from: blue/a, to: red/b}", `[0].expect: "true": want allow or deny`},
		"no verdict":                   {"- {from: blue/a, to: red/b}", "x.yaml:1: [0].expect: is missing"},
		"no end":                       {"- {expect: deny, from: blue/a}", "x.yaml:1: [0].to: is missing"},
		"null":                         {"- {expect: deny, from: blue/a, to: }", "[0].to: is empty"},
		"port on ICMP":                 {"- {expect: deny, from: blue/a, to: red/b, protocol: ICMP,\n   port: 8}", `x.yaml:2: [0].port: "8": ICMP has no ports`},
		"port of ICMP":                 {"- {expect: deny, from: blue/a, to: red/b, port: 8/icmp}", "ICMP has no ports"},
		"port too large":               {"- {expect: deny, from: blue/a, to: red/b, port: [80, 65536]}", `[0].port[1]: "65536" is not a port`},
		"port 0":                       {"- {expect: deny, from: blue/a, to: red/b, port: 0}", `"0" is not a port`},
		"ports turned round":           {"- {expect: deny, from: blue/a, to: red/b, port: 90-80}", `"90-80" is not a port`},
		"port of another":              {"- {expect: deny, from: blue/a, to: red/b, protocol: TCP, port: 53/UDP}", "contradicts this statement's protocol TCP"},
		"unknown protocol":             {"- {expect: deny, from: blue/a, to: red/b, protocol: TPC}", `[0].protocol: unknown protocol "TPC"`},
		"nothing left":                 {"- {expect: deny, from: blue/a, to: red/b, port: 80, exceptPort: 80}", "[0].exceptPort: leaves no port"},
		"bad selector":                 {"- {expect: deny, from: {pod: {app: 'a b'}}, to: red/b}", "[0].from.pod: bad selector: "},
		"bad operator":                 {"- {expect: deny, from: {pod: {matchExpressions: [{key: a, operator: Like}]}}, to: red/b}", "[0].from.pod: bad selector: "},
		"label that is no text":        {"- {expect: deny, from: {pod: {app: true}}, to: red/b}", "[0].from.pod.app: true is not text: put it in quotes"},
		"label twice":                  {"- {expect: deny, from: {pod: {app: a, app: b}}, to: red/b}", "[0].from.pod.app: is given twice"},
		"field twice":                  {"- {expect: deny, expect: deny, from: blue/a, to: red/b}", "[0].expect: is given twice"},
		"end in no form":               {"- {expect: deny, from: a/b/c, to: red/b}", `[0].from: "a/b/c": want a pod`},
		"network":                      {"- {expect: deny, from: blue/a, to: 10.0.0.0/8}", "is a network: name single addresses"},
		"no address":                   {"- {expect: deny, from: blue/a, to: {address: 10.0.0}}", `[0].to.address: "10.0.0" is not an address`},
		"Service begins":               {"- {expect: deny, from: service/a/b, to: red/b}", "[0].from: a Service begins no connections"},
		"Service without space":        {"- {expect: deny, from: blue/a, to: {service: b}}", "a Service needs one namespace"},
		"node in a namespace":          {"- {expect: deny, from: blue/a, to: {node: b, namespace: c}}", "or a node, or an address"},
		"empty end":                    {"- {expect: deny, from: blue/a, to: {}}", "[0].to: is empty"},
		"no ends":                      {"- {expect: deny, from: blue/a, to: []}", "[0].to: is empty"},
		"no statement":                 {"- hello", "x.yaml:1: [0]: want a statement"},
		"no list":                      {"expect: deny", "x.yaml:1: want a list of statements"},
		"an object":                    {"kind: Pod", "x.yaml:1: is an object of the kind Pod"},
		"no YAML":                      {"\n- {expect: deny", "x.yaml:2: is not YAML"},
		"nothing":                      {"# only words\n", "x.yaml: no statements in this file"},
		"hidden characters":            {"- {expect: deny, name: \"a\\u202eb\", from: blue/a, to: red/b}", "[0].name: has invisible characters"},
		"match":                        {"- {expect: deny, from: blue/a, to: red/b, match: any}", `[0].match: "any": want every or some`},
		"allowNone":                    {"- {expect: deny, from: blue/a, to: red/b, allowNone: maybe}", "[0].allowNone: want true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := ReadStatements("x.yaml", []byte(tc.text))
			if len(problems) != 1 {
				t.Fatalf("%d problems: %v", len(problems), problems)
			}
			if got := problems[0].Error(); !strings.Contains(got, tc.want) || !strings.HasPrefix(got, "x.yaml:") || strings.Contains(got, "\n") {
				t.Errorf("%q lacks %q", got, tc.want)
			}
			if strings.HasPrefix(tc.text, "- ") {
				s, problems := ReadStatements("x.yaml", []byte(good+tc.text+"\n"+good))
				if len(s) != 2 || len(problems) != 1 || s[1].Field != "[2]" {
					t.Errorf("beside good ones: %d statements, %v", len(s), problems)
				}
			}
		})
	}
	if _, problems := ReadStatements("x", []byte("- {expect: x, from: a/b, to: c/d, port: y}\n- {expect: z}\n")); len(problems) != 5 {
		t.Errorf("%d problems, want all 5: %v", len(problems), problems)
	}
}

// What a statement says is read as it is written, in YAML and JSON.
func TestRead(t *testing.T) {
	s, problems := ReadStatements("x", []byte(`# words
---
- expect: allow
  from: {namespace: {tenant: [blue, red]}, pod: {app: web}}
  to: [service/kube-system/kube-dns, 192.0.2.1]
  port: [53/UDP, 8000-8100, sctp]
  match: some
---
- {expect: deny, from: node/a, to: {namespace: [x, "y"]}, exceptPort: [80, UDP, ICMP, SCTP]}
`))
	if len(problems) > 0 || len(s) != 2 {
		t.Fatal(problems)
	}
	if got := s[0].String(); got != "allow some pods app=web in namespaces tenant in (blue,red) → service/kube-system/kube-dns, 192.0.2.1, TCP 8000–8100, UDP 53, SCTP" {
		t.Error(got)
	}
	if got := s[1].String(); got != "deny node/a → x, y, TCP 1–79, 81–65535" || s[1].Line != 9 || s[1].Field != "[1]" {
		t.Error(got, s[1].FilePlace)
	}
	s, problems = ReadStatements("x.json", []byte(`[{"expect":"deny","from":{"pod":{"app":"a"}},"to":{"node":{"role":"b"}}}]`))
	if len(problems) > 0 || len(s) != 1 || s[0].String() != "deny pods app=a in every namespace → nodes role=b, any port" {
		t.Error(s, problems)
	}
}

// FuzzRead reads anything: no panic, what is said is one clean line in the file, and what
// was read can be asked.
func FuzzRead(f *testing.F) {
	f.Add([]byte("- {expect: deny, from: blue/a, to: red/b, port: 80}\n"))
	f.Add([]byte("- expect: allow\n  from: {namespace: {tenant: [blue]}, pod: [a, b]}\n  to: {node: {matchExpressions: [{key: a, operator: Exists}]}}\n  exceptPort: [1-2, UDP]\n"))
	f.Add([]byte("- &a {expect: deny, from: [*a], to: {service: x, namespace: y}}\n- <<: *a\n"))
	f.Add([]byte(`[{"expect":"deny","from":"10.0.0.1","to":"::1"}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		statements, problems := ReadStatements("x.yaml", text)
		for _, p := range problems {
			if s := p.Error(); !words.IsClean(s) || strings.Contains(s, "\n") || !strings.HasPrefix(s, "x.yaml") {
				t.Errorf("not one clean line: %q", s)
			}
		}
		for i := range statements {
			s := &statements[i]
			if len(s.From) == 0 || len(s.To) == 0 || len(s.Ports) == 0 || s.Expect != verdict.Allow && s.Expect != verdict.Deny {
				t.Errorf("%+v", s)
			}
			if !words.IsClean(s.Title()) || !words.IsClean(s.String()) {
				t.Errorf("not clean: %q %q", s.Title(), s)
			}
			for _, p := range s.Ports {
				if p.Lo > p.Hi || (p.Protocol == verdict.ICMP) != (p.Lo == 0) {
					t.Errorf("ports %v", p)
				}
			}
		}
		f := &endFinder{c: (*model.Cluster)(nil), imagine: true}
		for i := range statements {
			f.findSide(statements[i].From, true)
			f.findSide(statements[i].To, false)
		}
		for _, p := range f.problems {
			if s := p.Error(); !words.IsClean(s) || strings.Contains(s, "\n") {
				t.Errorf("not one clean line: %q", s)
			}
		}
	})
}
