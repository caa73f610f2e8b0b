package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/yaml"

	"rung/model/words"
)

// hostileYAML has what cannot be seen wherever a manifest has text: escaped, as a
// file of an attacker has it, and as it is.
const hostileYAML = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: evil
  annotations: {note: "a\u202eb\e[2J\e]52;c;AA\a\u200b\U000E0041\uFE0F"}
spec: # RAW
  priority: 7
  subject: {namespaces: {}}
  ingress:
  - name: "rule\u202e\e[31m\u200b"
    action: Deny
    from: [{namespaces: {}}]
---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: refused, labels: {x: "a\u202eb"}}
spec:
  priority: 8
  subject: {namespaces: {}}
  ingress: [{name: x, action: Deny, from: [{namespaces: {matchLabels: {team: "x\u202e\e[31m"}}}]}]
---
apiVersion: v1
kind: Pod
metadata: {name: "p\u202e\e[2J", namespace: "n\u202e", labels: {app: "a\u2066\e[31m"}}
spec: {nodeName: "w\u202e\e[2J", containers: [{name: c}]}
status: {phase: Running, podIPs: [{ip: 10.244.9.9}]}
---
apiVersion: v1
kind: "Odd\u202e\e[2J"
metadata: {name: "odd\u202e"}
`

// TestHostileOutput runs every command that prints on hostile manifests and looks
// at the bytes.
func TestHostileOutput(t *testing.T) {
	noLeaks(t)
	dir := clusterCopy(t)
	text := strings.Replace(hostileYAML, "RAW", "raw \u202e\u200b\u2066\ufe0f\U000e0041", 1)
	if err := os.WriteFile(filepath.Join(dir, "evil.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	change := filepath.Join(t.TempDir(), "change.yaml")
	if err := os.WriteFile(change, []byte(strings.Replace(strings.Split(text, "---")[0], "priority: 7", "priority: 9", 1)),
		0o600); err != nil {
		t.Fatal(err)
	}
	const bad = "x\u202e\x1b[2J\u200b\x07"
	zones := map[string]bool{"rows": true, "drift": true, "zones": true, "activity": true, "logs": true, "apply": true,
		"move": true, "delete": true, "log-level": true}
	type command struct {
		args      []string
		form      string
		out, errs bytes.Buffer
	}
	var commands []*command
	var running errgroup.Group // most of the time a command waits for its sandbox
	running.SetLimit(6)
	for _, args := range [][]string{
		{"ladder"}, {"policy"}, {"policy", "evil"}, {"pod", "blue/" + bad}, {"compile"}, {"compile", "evil"},
		{"compile", "-o", "nbctl"}, {"rows"}, {"drift"}, {"lint"},
		{"apply", "--change", change, "--dry-run"}, {"apply", "--change", change, "--dry-run", "-o", "wide"},
		{"apply", "--change", change, "--dry-run", "-o", "json"}, {"move", "evil", "9", "--dry-run"},
		{"delete", "evil", "--dry-run"}, {"log-level", "evil", "--deny", "alert", "--dry-run"},
		{"plan"}, {"plan", "--step", "5"}, {"zones"}, {"activity"}, {"undo", "--list"}, {"version"}, {"logs"},
		{"policy", bad}, {"move", bad, "1", "--dry-run"}, {bad}, {"ladder", "--" + bad}, {"rows", "--zone", bad},
		{"apply", "--change", bad, "--dry-run"}, {"help", bad},
		{"help"}, {"completion", "bash"}, {"__complete", "policy", ""},
	} {
		for _, form := range []string{"", "wide", "json", "yaml"} {
			if zones[args[0]] && form != "" && (form != "yaml" || args[len(args)-1] == bad) {
				continue // they start databases
			}
			if form != "" && slices.Contains(args, "-o") {
				continue
			}
			all := args
			if args[0] != bad && args[0] != "help" && args[0] != "completion" && args[0] != "version" {
				all = append(append([]string{}, args...), "-f", dir, "--state-dir", t.TempDir(), "--sandbox-ovsdb", "builtin",
					"--sandbox-dir", shortDir(t))
				if form != "" && args[0] != "__complete" {
					all = append(all, "-o", form)
				}
				if args[0] == "__complete" {
					all = append([]string{"__complete", "-f", dir}, args[1:]...)
				}
			} else if form != "" {
				continue
			}
			c := &command{args: args, form: form}
			commands = append(commands, c)
			running.Go(func() error {
				runUntil(t.Context(), all, strings.NewReader(""), &c.out, &c.errs, nil)
				return nil
			})
		}
	}
	_ = running.Wait()
	said := ""
	for _, c := range commands {
		for name, got := range map[string]string{"stdout": c.out.String(), "stderr": c.errs.String()} {
			if words.CleanBlock(got) != got {
				t.Errorf("%q -o %q: %s has what cannot be seen: %.300q", c.args, c.form, name, got)
			}
			said += got
		}
		var v any
		switch of := c.args[0]; {
		case of == "plan" || of == "__complete" || of == "activity" || of == "logs" || c.out.Len() == 0:
		case c.form == "json" && json.Unmarshal(c.out.Bytes(), &v) != nil:
			t.Errorf("%q: no JSON any more: %.200s", c.args, c.out.String())
		case c.form == "yaml" && yaml.Unmarshal(c.out.Bytes(), &v) != nil:
			t.Errorf("%q: no YAML any more: %.200s", c.args, c.out.String())
		}
	}
	if !strings.Contains(said, "evil") || !strings.Contains(said, "\ufffd") || !strings.Contains(said, `\u202e`) {
		t.Error("the hostile text was nowhere: the test looks at nothing")
	}
}
