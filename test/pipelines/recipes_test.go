//go:build unix

package pipelines

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rung/test/install"
)

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// recipe is a section of docs/pipelines.md with a block of code.
type recipe struct{ title, language, text string }

func recipes(t *testing.T) (out []recipe) {
	t.Helper()
	sections := strings.Split(readFile(t, inRoot(t, "docs/pipelines.md")), "\n## ")
	for _, s := range sections[1:] {
		title, body, _ := strings.Cut(s, "\n")
		blocks := regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```").FindAllStringSubmatch(body, -1)
		if len(blocks) != 1 {
			t.Fatalf("%s has %d blocks of code, and needs one", title, len(blocks))
		}
		out = append(out, recipe{title, blocks[0][1], blocks[0][2]})
	}
	return out
}

// workflow is a workflow of GitHub Actions, as far as recipes have it.
type workflow struct {
	Jobs map[string]struct {
		Steps []struct {
			Uses, ID, If string
			With         map[string]string
		}
	}
}

// preCommit is a configuration of pre-commit.
type preCommit struct {
	Repos []struct {
		Repo, Rev string
		Hooks     []struct {
			ID   string
			Args []string
		}
	}
}

// Every recipe passes in the repository that is in order, and fails in the other.
func TestRecipes(t *testing.T) {
	all := recipes(t)
	if len(all) < 10 {
		t.Errorf("%d recipes", len(all))
	}
	for _, c := range all {
		t.Run(c.title, func(t *testing.T) { eachRepository(t, c.run) })
	}
}

func (c recipe) run(t *testing.T, r *repository) {
	switch {
	case c.language == "sh":
		r.wantPassed(r.sh(c.text))
		if strings.Contains(c.text, "gh pr comment") {
			r.wantComment()
		}
		for _, m := range regexp.MustCompile(`> (\S+\.(?:sarif|xml))`).FindAllStringSubmatch(c.text, -1) {
			r.wantReports(m[1])
		}
	case c.language == "groovy":
		// Jenkins runs each sh step; the first that fails ends the stage, and post runs all the same.
		var script string
		for _, m := range regexp.MustCompile(`sh '([^']+)'`).FindAllStringSubmatch(c.text, -1) {
			script += m[1] + "\n"
		}
		r.wantPassed(r.sh(script))
		r.wantReports("rung-lint.xml")
	case strings.Contains(c.text, "\njobs:"):
		c.runWorkflow(t, r)
	case strings.Contains(c.text, "\nrepos:"):
		var p preCommit
		decode(t, c.text, &p)
		for _, h := range p.Repos[0].Hooks {
			r.wantPassed(r.runHook(h.ID, h.Args))
		}
	case strings.Contains(c.text, "\ninclude:"):
		var g gitLab
		decode(t, c.text, &g)
		readFile(t, inRoot(t, g.Include[0].File))
		job, got := r.runGitLab(g.Rung.Variables)
		r.wantPassed(got)
		r.wantReports(job.Rung.Artifacts.Reports.Codequality, "rung-lint.xml", "rung-verify.xml")
	default:
		t.Errorf("nobody runs a block of %s", c.language)
	}
}

// wantComment says that a comment was posted, which says what the branch does to what main has.
func (r *repository) wantComment() {
	r.t.Helper()
	text := readFile(r.t, filepath.Join(r.dir, "posted.md"))
	if strings.Contains(text, "quarantine") == r.good || !strings.Contains(text, "Connections") && !r.good || text == "" {
		r.t.Error(text)
	}
}

// runWorkflow runs the step of a workflow that uses Rung's action, and looks at the folder that the step after it uploads.
func (c recipe) runWorkflow(t *testing.T, r *repository) {
	t.Helper()
	var w workflow
	decodeSome(t, c.text, &w)
	out, ran := map[string]string{}, false
	for _, step := range w.Jobs["rung"].Steps {
		switch {
		case strings.HasPrefix(step.Uses, "example/rung@"):
			with := map[string]string{"binary": install.Binary(t)}
			for name, value := range step.With {
				with[name] = value
			}
			var got result
			got, out = r.runAction(with)
			r.wantPassed(got)
			ran = step.ID == "rung"
		case strings.Contains(step.Uses, "upload-sarif"):
			if step.If != "always()" || step.With["sarif_file"] != "${{ steps.rung.outputs.reports }}" {
				t.Errorf("%+v", step)
			}
			r.wantReports(out["reports"]+"/rung.sarif", out["reports"]+"/rung-verify.sarif")
		}
	}
	if !ran {
		t.Error("no step uses the action")
	}
}
