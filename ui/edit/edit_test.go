package edit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

func anp(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }

type world struct {
	t     *testing.T
	g     *uitest.Gated
	s     *uitest.Screen
	state string
}

// start opens the ladder with an editor that is a shell script; $1 is the file
// and $N counts the times it ran.
func start(t *testing.T, script string) *world {
	t.Helper()
	w := &world{t: t, g: uitest.NewGated(t, nil), state: t.TempDir()}
	w.editor(script)
	w.s = uitest.OpenWith(t, w.g.Fake, ui.Options{Page: nav.NewPage(nav.Ladder), StateDir: w.state})
	return w
}

func (w *world) editor(script string) {
	w.t.Helper()
	dir := w.t.TempDir()
	path := filepath.Join(dir, "ed")
	text := "#!/bin/sh\nset -e\nfor f; do :; done\nN=$(cat " + dir + "/n 2>/dev/null || echo 0); N=$((N+1)); echo $N >" + dir + "/n\ncp \"$f\" " + dir + "/seen$N\n" + script + "\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		w.t.Fatal(err)
	}
	w.t.Setenv("VISUAL", "")
	w.t.Setenv("EDITOR", path)
	w.t.Setenv("SEEN", dir)
}

// seen is what the editor was given the n-th time.
func (w *world) seen(n string) string {
	b, err := os.ReadFile(filepath.Join(os.Getenv("SEEN"), "seen"+n))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func (w *world) files() (out []string) {
	got, _ := filepath.Glob(filepath.Join(w.state, "edit", "*"))
	return got
}

func (w *world) policy(name string) *model.Policy {
	return w.g.Engine.Revision().Cluster.Policy(anp(name))
}

// down goes to cluster-control.
func (w *world) down() { w.s.Press("j", "j") }

func TestEdit(t *testing.T) {
	w := start(t, `sed -i 's/priority: 34/priority: 36/' "$f"`)
	w.down()
	was := w.policy("cluster-control").YAML
	w.s.Press("e")
	if got := w.seen("1"); !strings.HasSuffix(got, was) || !strings.HasPrefix(got, "# rung: editing ANP cluster-control") {
		t.Errorf("the editor was not given the file's own text with notes above it:\n%s", got)
	}
	w.s.Want("spec.priority  34 → 36", "nothing is written yet", "e keep editing")
	if n := len(w.files()); n != 1 {
		t.Fatalf("%d texts in the folder", n)
	}
	if st, _ := os.Stat(w.files()[0]); st.Mode().Perm() != 0o600 {
		t.Errorf("the text is readable by others: %v", st.Mode())
	}
	w.s.Press("a", "y")
	w.s.Want("36 ─ cluster-control", "done, live in 3/3 zones")
	if got := w.policy("cluster-control"); got.Priority != 36 || got.YAML != strings.Replace(was, "priority: 34", "priority: 36", 1) {
		t.Errorf("priority %d, text:\n%s", got.Priority, got.YAML)
	}
	if len(w.files()) != 0 {
		t.Error("the text was not removed after it was written")
	}
}

func TestUnchanged(t *testing.T) {
	w := start(t, `true`)
	w.down()
	w.s.Press("e")
	w.s.Want("unchanged: nothing to apply", "PRIO")
	if len(w.files()) != 0 {
		t.Error("an unchanged text was left behind")
	}
	w.s.Press("alt+right")
	w.s.Want("no page to go forward to")
}

// An editor that leaves a text as broken as it was is not started without end.
func TestAsBrokenAsBefore(t *testing.T) {
	for name, script := range map[string]string{
		"the same text":    `printf 'kind: Nonsense\n' >"$f"`,
		"a line more":      `sed -i 's/priority: 34$/priority: 1001/' "$f"; echo '# once more' >>"$f"`,
		"a line more, top": `printf '# %s\nkind: Nonsense\n' "$N" >"$f"`,
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, "[ $N -lt 20 ] || exit 0\n"+script)
			w.down()
			w.s.Press("e")
			w.s.Want("The text is not valid", "Nothing was written")
			if b, err := os.ReadFile(filepath.Join(os.Getenv("SEEN"), "n")); err != nil || strings.TrimSpace(string(b)) != "2" {
				t.Errorf("the editor ran %s times, want 2 %v", b, err)
			}
		})
	}
}

func TestInvalidComesBack(t *testing.T) {
	w := start(t, `case $N in
1) sed -i 's/priority: 34/priority: 1001/' "$f" ;;
2) sed -i 's/priority: 1001/priority: 36/' "$f" ;;
esac`)
	w.down()
	w.s.Press("e")
	second := w.seen("2")
	if !strings.HasPrefix(second, "# rung: not valid, nothing was written:\n# rung: ") || !strings.Contains(second, "1001") {
		t.Errorf("the error does not stand on top:\n%s", second)
	}
	w.s.Want("spec.priority  34 → 36")
	w.s.Press("esc")
	w.s.Want("nothing was changed; your text is kept in " + filepath.Join(w.state, "edit")[:20])
	if n := len(w.files()); n != 1 {
		t.Fatalf("%d texts kept", n)
	}
	if b, _ := os.ReadFile(w.files()[0]); !strings.Contains(string(b), "priority: 36") {
		t.Error("the kept text is not what was edited")
	}
}

// The line that an error names is the line in the text that is open again, whatever
// kind of mistake it is and however often it comes back.
func TestLinesOfTheTextThatIsOpen(t *testing.T) {
	for name, c := range map[string]struct{ sed, line string }{
		"a tab":               {`s/^  priority: 34/\tpriority: 34/`, "priority: 34"},
		"too far left":        {`s/^  subject:/ subject:/`, " subject:"},
		"first too far right": {`s/^  priority: 34/    priority: 34/`, "    priority: 34"},
		"first too far left":  {`s/^  priority: 34/ priority: 34/`, " priority: 34"},
		"without a colon":     {`s/^  subject:/  subject/`, "  subject"},
		"letters in a number": {`s/^  priority: 34/  priority: 39x/`, "  priority: 39x"},
		"a label":             {`0,/name: ingress-nginx/s//name: "ingress nginx"/`, `name: "ingress nginx"`},
		"an operator":         {`0,/operator: Exists/s//operator: Is/`, "operator: Is"},
		"no such kind":        {`s/^kind: .*/kind: AdminPolicy/`, "kind: AdminPolicy"},
		"an unknown field":    {`s/^  priority: 34/  prio: 34/`, "  prio: 34"},
		"out of range":        {`s/^  priority: 34/  priority: 1001/`, "  priority: 1001"},
		"not a number":        {`s/^  priority: 34/  priority: x/`, "  priority: x"},
		"twice":               {`s/^  priority: 34/  priority: 34\n  priority: 35/`, "  priority: 35"},
		"a bracket":           {`s/^  priority: 34/  priority: [34/`, "  priority: [34"},
		"an unknown action":   {`0,/action: "Allow"/s//action: "Alow"/`, `action: "Alow"`},
		"a second colon":      {`0,/name: "/s//name: x: "/`, `name: x: "`},
		"an alias of nothing": {`s/^  priority: 34/  priority: *p/`, "  priority: *p"},
		"the wrong name":      {`s/^  name: .*/  name: A_B/`, "  name: A_B"},
	} {
		t.Run(name, func(t *testing.T) {
			// The second go makes no change for the better: it puts a line on top of the text.
			w := start(t, `case $N in
1) sed -i '`+c.sed+`' "$f" ;;
2) sed -i '0,/^[^#]/s//# mine\n&/' "$f" ;;
esac`)
			w.down()
			w.s.Press("e", "e") // as broken as before: it is opened again on demand
			for _, n := range []string{"2", "3"} {
				text := w.seen(n)
				named := regexp.MustCompile(`(?m)^# rung: line (\d+): `).FindAllStringSubmatch(text, -1)
				lines := strings.Split(text, "\n")
				if !slices.ContainsFunc(named, func(m []string) bool {
					line, _ := strconv.Atoi(m[1])
					return line <= len(lines) && strings.Contains(lines[line-1], c.line)
				}) {
					t.Errorf("go %s: none of the lines that are named, %v, is %q:\n%s", n, named, c.line, text)
				}
			}
			w.s.Want("The text is not valid", "Nothing was written.")
		})
	}
}

// Three mistakes in one text stand on top of it and on the page, in the order of their lines. The
// editor is opened again at the one that the cursor is on; nothing is previewed before all are mended.
func TestAllMistakesAtOnce(t *testing.T) {
	w := start(t, `case $N in
1) sed -i 's|172.30.0.0/30|172.30.0.0/33|; s/^  priority: 34/  priority: 1001/; 0,/action: "Allow"/s//action: "Alow"/' "$f" ;;
3) echo "$@" >"$SEEN/args"; sed -i 's/^  priority: 1001/  priority: 36/' "$f" ;;
4) sed -i 's|172.30.0.0/33|172.30.0.0/30|; s/action: "Alow"/action: "Allow"/' "$f" ;;
esac`)
	vim := filepath.Join(os.Getenv("SEEN"), "vim") // is told the line
	if err := os.Rename(os.Getenv("EDITOR"), vim); err != nil {
		t.Fatal(err)
	}
	t.Setenv("EDITOR", vim)
	w.down()
	w.s.Press("e")
	text := w.seen("2")
	named := regexp.MustCompile(`(?m)^# rung: line (\d+): `).FindAllStringSubmatch(text, -1)
	if len(named) != 3 || !strings.HasPrefix(text, "# rung: not valid, 3 mistakes, nothing was written:\n") {
		t.Fatalf("not all three mistakes stand on top:\n%s", text)
	}
	at := make([]int, len(named))
	for i, want := range []string{"priority: 1001", `action: "Alow"`, "172.30.0.0/33"} {
		at[i], _ = strconv.Atoi(named[i][1])
		if line := strings.Split(text, "\n")[at[i]-1]; !strings.Contains(line, want) {
			t.Errorf("line %d is named, which is %q, want %q", at[i], line, want)
		}
	}
	w.s.Want("✗ The text is not valid: 3 mistakes.", fmt.Sprintf("▸   line %d: AdminNetworkPolicy/cluster-control: spec.priority: 1001 should be", at[0]),
		fmt.Sprintf("line %d: AdminNetworkPolicy/cluster-control: spec.ingress[0].action: Unsupported value", at[1]),
		fmt.Sprintf("line %d: AdminNetworkPolicy/cluster-control: spec.egress[3].to[1].networks[0]: Invalid", at[2]), "write address/length",
		"Nothing was written. e opens the editor at the chosen line.")
	w.s.ResizeAll()
	w.s.Press("j", "e")
	if args, _ := os.ReadFile(filepath.Join(os.Getenv("SEEN"), "args")); !strings.Contains(string(args), fmt.Sprintf("+%d ", at[1])) {
		t.Errorf("the editor was opened with %q, want line %d", args, at[1])
	}
	w.s.Want("spec.priority  34 → 36") // both left were mended in the fourth go
	if got := w.seen("4"); !strings.HasPrefix(got, "# rung: not valid, 2 mistakes") || strings.Contains(got, "1001") {
		t.Errorf("the mistake that was mended is told again:\n%s", got)
	}
}

func TestInvalidGivenUp(t *testing.T) {
	w := start(t, `[ $N = 1 ] && sed -i 's/^spec:/spec: [/' "$f" || true`)
	w.down()
	w.s.Press("e")
	w.s.Want("The text is not valid", "Nothing was written.", "The text is in")
	w.s.ResizeAll()
	if n := len(w.files()); n != 1 {
		t.Fatalf("%d texts kept", n)
	}
	// Mended elsewhere, enter looks at it again.
	b, _ := os.ReadFile(w.files()[0])
	fixed := strings.Replace(strings.Replace(string(b), "spec: [", "spec:", 1), "priority: 34", "priority: 33", 1)
	if err := os.WriteFile(w.files()[0], []byte(fixed), 0o600); err != nil {
		t.Fatal(err)
	}
	w.s.Press("enter")
	w.s.Want("spec.priority  34 → 33")
}

func TestBadEditors(t *testing.T) {
	w := start(t, `sed -i 's/priority: 34/priority: 36/' "$f"; exit 3`)
	w.down()
	w.s.Press("e")
	w.s.Want("The editor ended with exit status 3", "Nothing was written", "e edit again")
	if len(w.files()) != 1 {
		t.Error("the text of a failed editor is lost")
	}
	w.s.Press("esc")

	w.editor(`exit 1`)
	w.s.Press("e")
	w.s.Want("the editor ended with exit status 1; nothing was changed", "PRIO")

	t.Setenv("EDITOR", "/does/not/exist")
	w.s.Press("e")
	w.s.Want("The editor could not be started", "Set VISUAL or EDITOR")
	w.s.Press("esc")

	w.editor(`rm "$f"`)
	w.s.Press("e")
	w.s.Want("The editor deleted the text", "Nothing was changed", "e starts over")
	w.s.Press("esc")

	w.editor(`: >"$f"`)
	w.s.Press("e")
	w.s.Want("The text is empty", "D on the ladder does")
}

func TestNew(t *testing.T) {
	w := start(t, `case $N in
1) sed -i 's/CHANGE-ME/blue/' "$f" ;;
2) sed -i 's/name: new-policy/name: break-glass/' "$f" ;;
3) sed -i 's/name: break-glass/name: watch-blue/; s/priority: 32/priority: 33/' "$f" ;;
esac`)
	w.s.Press("j", "n") // the gap 31–33
	first := w.seen("1")
	if !strings.Contains(first, "priority: 32") || !strings.Contains(first, "after break-glass (30), before cluster-control (34)") {
		t.Errorf("the template does not say where the policy stands:\n%s", first)
	}
	w.s.Want("Create ANP new-policy", "is new: priority 32", "added")
	w.s.Golden("new", [2]int{100, 30}, [2]int{160, 44})
	w.s.Press("e")
	w.s.Want("Create ANP watch-blue", "new at 33") // the priority of its text
	if got := w.seen("3"); !strings.Contains(got, "ANP break-glass exists already") {
		t.Errorf("a name that is taken was not refused:\n%s", got)
	}
	w.s.Press("a", "y")
	w.s.Want("33 ─ watch-blue")
	if !strings.Contains(w.s.Line("33 ─ watch-blue"), "▸") {
		t.Errorf("the cursor is not on the new policy\n%s", w.s.PlainFrame())
	}
}

// A ClusterNetworkPolicy is written, edited and taken back from the console.
func TestEditCNP(t *testing.T) {
	w := start(t, `case $N in
1) cat > "$f" <<'E'
apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: after-anp}
spec:
  tier: Admin
  priority: 32
  subject: {namespaces: {matchLabels: {tenant: blue}}}
  egress:
  - {action: Deny, to: [{networks: [192.0.2.0/24]}], ports: [{portNumber: {protocol: TCP, port: 80}}]}
E
;;
2) sed -i 's/ports: .*]}/protocols: [{tcp: {destinationPort: {number: 80}}}]}/' "$f" ;;
3) sed -i 's/number: 80/range: {start: 80, end: 90}/' "$f" ;;
esac`)
	w.s.Press("j", "n")
	if got := w.seen("2"); !strings.Contains(got, "a field of v1alpha1, which the API server drops") {
		t.Errorf("the editor was not told of the field of v1alpha1:\n%s", got)
	}
	w.s.Want("Create CNP after-anp", "will not be enforced: no controller")
	w.s.Press("a", "y")
	key := model.PolicyKey{Kind: model.KindCNP, Name: "after-anp"}
	last := func() int32 {
		p := w.g.Engine.Revision().Cluster.Policy(key)
		if p == nil {
			return -1
		}
		return p.Egress[0].Ports[0].End
	}
	if !strings.Contains(w.s.Line("▸"), "after-anp") || last() != 80 {
		t.Fatalf("the cursor is not on the new policy, whose port is %d\n%s", last(), w.s.PlainFrame())
	}
	w.s.Press("e")
	w.s.Want("Update CNP after-anp", "range")
	w.s.Press("a", "y")
	if last() != 90 {
		t.Errorf("the port is %d\n%s", last(), w.s.PlainFrame())
	}
	w.s.Press("U", "a", "y")
	if last() != 80 {
		t.Errorf("after undo the port is %d\n%s", last(), w.s.PlainFrame())
	}
	w.s.Press("U", "a", "y") // takes back what was just created: a plain yes
	if last() != -1 {
		t.Errorf("after undo the policy is there\n%s", w.s.PlainFrame())
	}
}

func TestConflict(t *testing.T) {
	w := start(t, `case $N in
1) sed -i 's/priority: 34/priority: 36/' "$f" ;;
2) sed -i 's/priority: 36/priority: 37/' "$f" ;;
esac`)
	w.down()
	// Somebody else moves the policy while the editor is open.
	preview := w.g.OnPreview
	w.g.OnPreview = func(m change.Mutation) (*gate.Preview, error) {
		w.g.OnPreview = preview
		p, err := w.g.Engine.Preview(t.Context(), change.Mutation{Op: change.OpMove, Policy: anp("cluster-control"), Priority: 35})
		if err != nil {
			return nil, err
		}
		if _, err := w.g.Engine.Commit(t.Context(), p, gate.Confirm{Yes: true, Name: p.ConfirmName}); err != nil {
			return nil, err
		}
		w.g.ShowNewest()
		return preview(m)
	}
	w.s.Press("e")
	w.s.Want("was changed meanwhile", "Both edits touch the same", "lines; merge by hand", "e keep editing", "Your text is kept in")
	w.s.Press("e")
	if got := w.seen("2"); !strings.Contains(got, "# rung: +  priority: 35") || !strings.Contains(got, "\n  priority: 36") {
		t.Errorf("the editor was not told what changed meanwhile:\n%s", got)
	}
	w.s.Want("spec.priority  35 → 37")
}
