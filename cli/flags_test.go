package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/cli/command"
	"rung/test/install"
)

// flagWalk is testdata/flags.txt: invocations with the flags that must change what they do, and the
// flags that scripts and other tests show.
type flagWalk struct {
	runs  []flagRun
	shown []shownFlags
}

// flagRun is an invocation and flags that are added to it, one at a time.
type flagRun struct {
	base  string
	flags []string
}

// shownFlags are the flags of commands that a file of tests shows.
type shownFlags struct {
	file            string
	commands, flags []string
}

func readFlagWalk(t *testing.T) (w flagWalk) {
	text, err := os.ReadFile("testdata/flags.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		switch words := strings.Fields(line); {
		case line == "" || line[0] == '#':
		case line[0] == ' ':
			run := &w.runs[len(w.runs)-1]
			run.flags = append(run.flags, strings.TrimSpace(line))
		case words[0] == "in":
			s := shownFlags{file: words[1]}
			for _, word := range words[2:] {
				if strings.HasPrefix(word, "--") {
					s.flags = append(s.flags, word)
				} else {
					s.commands = append(s.commands, word)
				}
			}
			w.shown = append(w.shown, s)
		default:
			w.runs = append(w.runs, flagRun{base: line})
		}
	}
	return w
}

// forms returns an expression for a flag as invocations write it.
func forms(flag string) string {
	if short := map[string]string{"--output": "-o", "--watch": "-w"}[flag]; short != "" {
		return "(?:" + flag + "|" + short + ")"
	}
	return regexp.QuoteMeta(flag)
}

// outcome is all that an invocation says.
type outcome struct {
	out, err string
	code     int
}

// TestEveryFlagTakesEffect: each flag of each command changes what an invocation says, or a script or
// another test shows it; a flag that is accepted and ignored is found here.
func TestEveryFlagTakesEffect(t *testing.T) {
	install.WithoutRace(t)
	if testing.Short() {
		t.Skip("runs some 200 commands")
	}
	w := readFlagWalk(t)
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	values := []string{"$TROUBLED", "../test/given/troubled", "$NETWORKS", "../examples-networks"}
	for name, text := range map[string]string{
		"CASES":      `[{"from":"blue/api-d0","to":"red/web-f0"},{"from":"blue/api-d0","to":"red/web-f0","port":8080}]`,
		"STATEMENTS": "- {expect: allow, from: {namespace: blue}, to: {namespace: red}, port: 8080}\n",
		"NOBODY":     "- {expect: deny, from: {namespace: blue, pod: {app: new}}, to: {namespace: red}, port: 8080}\n",
		"POLICY":     "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: shut, namespace: blue}\nspec: {podSelector: {}, policyTypes: [Ingress]}\n",
	} {
		file := filepath.Join(dir, name+map[bool]string{true: ".json", false: ".yaml"}[name == "CASES"])
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		values = append(values, "$"+name, file)
	}
	names := strings.NewReplacer(values...)
	run := func(line string) (o outcome) {
		var out, errw bytes.Buffer
		o.code = runUntil(t.Context(), strings.Fields(names.Replace(line)), strings.NewReader(""), &out, &errw, nil)
		o.out, o.err = out.String(), errw.String()
		return o
	}
	seen := map[[2]string]bool{}
	for _, r := range w.runs {
		cmd := strings.Fields(r.base)[0]
		without := run(r.base)
		for _, flags := range r.flags {
			seen[[2]string{cmd, strings.TrimPrefix(strings.Fields(flags)[0], "--")}] = true
			if run(r.base+" "+flags) == without {
				t.Errorf("rung %s: %s changes nothing", r.base, flags)
			}
		}
	}
	for _, s := range w.shown {
		text, err := os.ReadFile(filepath.Join("..", s.file))
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range s.flags {
			is := regexp.MustCompile(forms(flag) + `\b`)
			for _, cmd := range s.commands {
				seen[[2]string{cmd, strings.TrimPrefix(flag, "--")}] = true
				if strings.HasSuffix(s.file, ".txtar") {
					is = regexp.MustCompile(`rung ` + cmd + `\b.* ` + forms(flag) + `\b`)
				}
				if !is.Match(text) {
					t.Errorf("%s does not show rung %s %s", s.file, cmd, flag)
				}
			}
		}
	}
	walkFlags(rootCommand(&command.App{}, nil), func(cmd *cobra.Command, f *pflag.Flag) {
		if cmd.HasParent() && f.Name != "help" && !f.Hidden && !seen[[2]string{cmd.Name(), f.Name}] {
			t.Errorf("testdata/flags.txt has no invocation of rung %s in which --%s takes effect", cmd.Name(), f.Name)
		}
	})
}
