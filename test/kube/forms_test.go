package kube_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"rung/cli/command"
	"rung/test/kube/cluster"
)

// formsOfLists are values of -o for lists as kubectl gets them.
var formsOfLists = []string{
	`jsonpath={.items[*].metadata.name}`, `jsonpath={range .items[*]}{.metadata.name}{"\t"}{.spec.priority}{"\n"}{end}`,
	`jsonpath={.items[0]}`, `jsonpath={.items[*].spec.nothing}`, `jsonpath={.items[?(@.spec.priority>30)].metadata.name}`,
	`jsonpath={.items[-1:].metadata.name}`, `jsonpath={..priority}`, `jsonpath={.items[*]['metadata.name','spec.priority']}`,
	`jsonpath=text {.kind} of {.items[0].kind}`, `jsonpath-as-json={.items[*].metadata.name}`,
	`custom-columns=NAME:.metadata.name,PRIO:spec.priority,RULES:{.spec.ingress[*].name},NONE:.spec.nothing`,
	`custom-columns=K:.kind`,
}

// formsOfAnswers are values of -o for answers of Rung, by command line.
var formsOfAnswers = map[string][]string{
	"ladder": {
		`jsonpath={.max_priority} {.tiers[*].kind}`, `jsonpath={range .tiers[1].rungs[*]}{.priority}: {.policies}{"\n"}{end}`,
		`jsonpath={.tiers[1].rungs[?(@.duplicate==true)].priority}`, `jsonpath={.tiers[1].rungs[0].details[0].ingress}`,
		`jsonpath={.tiers[1].gaps[-1:]}`, `jsonpath-as-json={.tiers[*].tier}`, `jsonpath={.nothing.here}`,
	},
	"matrix":                 {`jsonpath={range .cells[?(@.verdict=="deny")]}{.from} {.to}{"\n"}{end}`, `jsonpath={.port}{.ends[*].pods}`},
	"policy cluster-control": {`jsonpath={.rules[*].name}`, `jsonpath={.rules[1:3]['name','action']}`, `jsonpath={.priority}`},
}

// Templates print of the same objects what kubectl's own printers do: of a list that it gets, and
// of Rung's answers, which it is given as an object of a kind that it does not know.
func TestForms(t *testing.T) {
	c := demoCluster(t)
	kubectl := func(stdin string, args ...string) string {
		t.Helper()
		out, err := c.Kubectl(t.Context(), cluster.Admin, stdin, args...)
		must(t, err)
		return out
	}
	compare := func(what, output, raw, want string) {
		t.Helper()
		f, err := command.ParseForm(output, func(string) (string, error) { return "", os.ErrNotExist })
		must(t, err)
		got, err := f.Print([]byte(raw))
		must(t, err)
		if string(got) != want {
			t.Errorf("%s -o %s:\n%s\nkubectl:\n%s", what, output, got, want)
		}
	}
	raw := kubectl("", "get", "anp", "-o", "json", "--show-managed-fields")
	var list struct {
		Items json.RawMessage `json:"items"`
	}
	must(t, json.Unmarshal([]byte(raw), &list))
	for _, output := range formsOfLists {
		of := raw
		if strings.HasPrefix(output, "custom-columns") { // which has a line for each object
			of = string(list.Items)
		}
		compare("anp", output, of, kubectl("", "get", "anp", "-o", output))
	}
	kubeconfig := []string{"--kubeconfig", c.Kubeconfig(cluster.Admin)}
	for line, outputs := range formsOfAnswers {
		args := append(strings.Fields(line), kubeconfig...)
		answer := rung(t, "", append(args, "-o", "json")...).out
		object := strings.Replace(answer, "{", `{"apiVersion": "rung.test/v1", "kind": "Answer", "metadata": {"name": "x"},`, 1)
		for _, output := range outputs {
			want := kubectl(object, "annotate", "--local", "-f", "-", "is=here", "-o", output)
			compare(line, output, answer, want)
			if got := rung(t, "", append(args, "-o", output)...).out; got != want {
				t.Errorf("rung %s -o %s:\n%s\nkubectl:\n%s", line, output, got, want)
			}
		}
	}
	ladder := rung(t, "", append([]string{"ladder", "-o", "name"}, kubeconfig...)...).out
	for _, name := range strings.Fields(kubectl("", "get", "anp", "-o", "name")) {
		if !strings.Contains(ladder, name+"\n") {
			t.Errorf("rung ladder -o name has no %s", name)
		}
	}
}
