//go:build unix

package pipelines

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"

	"rung/test/install"
)

// inRoot is a file of Rung's own repository.
func inRoot(t *testing.T, path string) string {
	t.Helper()
	root, err := install.Root()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, path)
}

// decode reads a document of YAML, in which nothing may be unknown.
func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), into); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// decodeSome reads the keys of a document that a type has.
func decodeSome(t *testing.T, text string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// action is a composite action of GitHub.
type action struct {
	Name, Description string
	Inputs            map[string]struct{ Description, Default string }
	Outputs           map[string]struct{ Description, Value string }
	Runs              struct {
		Using string
		Steps []struct {
			Name, ID, Shell, Run string
			Env                  map[string]string
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{ *([a-z.]+) *\}\}`)

// runAction runs the steps of action.yml as the runner does, with inputs, and returns how it ended and what it printed,
// and its outputs.
func (r *repository) runAction(with map[string]string) (result, map[string]string) {
	r.t.Helper()
	var a action
	decode(r.t, readFile(r.t, inRoot(r.t, "action.yml")), &a)
	values := map[string]string{}
	for name, in := range a.Inputs {
		values["inputs."+name] = in.Default
	}
	for name, value := range with {
		if _, ok := a.Inputs[name]; !ok {
			r.t.Errorf("the action has no input %s", name)
		}
		values["inputs."+name] = value
	}
	evaluate := func(text string) string {
		return expression.ReplaceAllStringFunc(text, func(e string) string {
			name := expression.FindStringSubmatch(e)[1]
			value, ok := values[name]
			if !ok {
				r.t.Errorf("nothing has the value of %s", e)
			}
			return value
		})
	}
	files := r.t.TempDir()
	outputs, paths := filepath.Join(files, "output"), filepath.Join(files, "path")
	var all result
	for _, step := range a.Runs.Steps {
		if step.Shell != "sh" || strings.Contains(step.Run, "${{") {
			r.t.Errorf("step %s: shell %s; a script has no expressions: whoever names a branch would write it", step.Name, step.Shell)
		}
		env := []string{"RUNNER_TEMP=" + files, "GITHUB_ACTION_PATH=" + inRoot(r.t, "."), "GITHUB_OUTPUT=" + outputs, "GITHUB_PATH=" + paths}
		if added, err := os.ReadFile(paths); err == nil {
			env = append(env, "PATH="+strings.TrimSpace(string(added))+":"+r.bin+":"+os.Getenv("PATH"))
		}
		for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} { // not of the scratch HOME
			env = append(env, name+"="+goEnv(r.t, name))
		}
		for name, value := range step.Env {
			env = append(env, name+"="+evaluate(value))
		}
		got := r.sh(step.Run, env...)
		all = result{got.code, all.out + got.out, all.errors + got.errors}
		if got.code != 0 {
			break
		}
	}
	for line := range strings.Lines(readFile(r.t, outputs)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		values["steps.rung.outputs."+name] = value
	}
	out := map[string]string{}
	for name, o := range a.Outputs {
		out[name] = evaluate(o.Value)
	}
	return all, out
}

func TestAction(t *testing.T) {
	eachRepository(t, func(t *testing.T, r *repository) {
		got, out := r.runAction(map[string]string{"paths": "manifests", "expectations": "expectations.yaml", "binary": install.Binary(t)})
		r.wantPassed(got)
		r.wantReports("rung-reports/rung.sarif", "rung-reports/rung-verify.sarif")
		r.wantNoOther(out["reports"], "rung-verify.sarif", "rung.sarif")
		if n := strings.Count(got.out, "::error "); n == 0 != r.good {
			t.Errorf("%d errors are annotated\n%s", n, got.out)
		}
	})
}

// The action builds what it comes with, and takes paths as they are: several, with spaces, with characters of the shell.
func TestActionBuildsRung(t *testing.T) {
	r := newRepository(t, true)
	err := errors.Join(os.Rename(filepath.Join(r.dir, "manifests"), filepath.Join(r.dir, "$(touch no) *")), os.Remove(filepath.Join(r.bin, "rung")))
	if err != nil {
		t.Fatal(err)
	}
	r.write("more/a.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: more}\n")
	got, _ := r.runAction(map[string]string{"paths": "$(touch no) *\nmore\n", "args": "--allow-unjudged=unscheduled -n blue", "reports": "out put"})
	r.wantPassed(got)
	r.wantReports("out put/rung.sarif")
	r.wantNoOther("out put", "rung.sarif")
	if _, err := os.Stat(filepath.Join(r.dir, "no")); err == nil {
		t.Error("a path was run")
	}
	// Where Rung could not run there is no report, and the step fails.
	got, _ = r.runAction(map[string]string{"paths": "nowhere", "reports": "none", "binary": install.Binary(t)})
	if got.code != 2 || !strings.Contains(got.errors, "nowhere") {
		t.Errorf("exit %d\n%s", got.code, got.errors)
	}
	r.wantNoOther("none")
}

// gitLab is a job of GitLab.
type gitLab struct {
	Rung struct {
		Stage, Image string
		Variables    map[string]string
		Script       []string
		Artifacts    struct {
			When    string
			Reports struct{ Codequality, Junit string }
		}
	}
	Include []struct{ Project, File string }
}

// runGitLab runs the job of the template as the runner does, in one shell, with variables that a pipeline sets.
func (r *repository) runGitLab(variables map[string]string) (gitLab, result) {
	r.t.Helper()
	var job gitLab
	decode(r.t, readFile(r.t, inRoot(r.t, "deploy/pipelines/gitlab-ci.yml")), &job)
	var env []string
	for name, value := range job.Rung.Variables {
		env = append(env, name+"="+value)
	}
	for name, value := range variables {
		if _, ok := job.Rung.Variables[name]; !ok {
			r.t.Errorf("the template has no variable %s", name)
		}
		env = append(env, name+"="+value)
	}
	return job, r.sh(strings.Join(job.Rung.Script, "\n"), env...)
}

func TestGitLab(t *testing.T) {
	eachRepository(t, func(t *testing.T, r *repository) {
		job, got := r.runGitLab(nil)
		r.wantPassed(got)
		r.wantReports(job.Rung.Artifacts.Reports.Codequality, "rung-lint.xml")
		job, got = r.runGitLab(map[string]string{"RUNG_EXPECTATIONS": "expectations.yaml"})
		r.wantPassed(got)
		r.wantReports(job.Rung.Artifacts.Reports.Codequality, "rung-lint.xml", "rung-verify.xml")
	})
}

// hook is a hook of pre-commit.
type hook struct {
	ID            string
	Name          string
	Description   string
	Entry         string
	Args          []string
	Language      string
	PassFilenames bool `json:"pass_filenames"`
	Files         string
}

// runHook runs a hook with arguments, or with its own.
func (r *repository) runHook(id string, args []string) result {
	r.t.Helper()
	var hooks []hook
	decode(r.t, readFile(r.t, inRoot(r.t, ".pre-commit-hooks.yaml")), &hooks)
	i := slices.IndexFunc(hooks, func(h hook) bool { return h.ID == id })
	if i < 0 {
		r.t.Fatalf("no hook %s", id)
	}
	h := hooks[i]
	if !regexp.MustCompile(h.Files).MatchString("manifests/a.yaml") || regexp.MustCompile(h.Files).MatchString("main.go") {
		r.t.Errorf("%s runs for files %s", id, h.Files)
	}
	if args == nil {
		args = h.Args
	}
	return r.sh(h.Entry + " '" + strings.Join(args, "' '") + "'")
}

func TestPreCommit(t *testing.T) {
	eachRepository(t, func(t *testing.T, r *repository) {
		r.wantPassed(r.runHook("rung-lint", nil))
		r.wantPassed(r.runHook("rung-verify", nil))
	})
}

// kustomization is one of kustomize.
type kustomization struct {
	APIVersion, Kind, Namespace string
	Resources                   []string
	ConfigMapGenerator          []struct {
		Name    string
		Files   []string
		Options struct {
			DisableNameSuffixHash bool
			Annotations           map[string]string
		}
	}
}

// TestJobs runs the containers of the Jobs, in a folder that has the files of their ConfigMap as the
// kubelet shows them: links to a folder behind a link.
func TestJobs(t *testing.T) {
	for _, dir := range []string{"deploy/pipelines/argocd", "deploy/pipelines/flux/policies/check"} {
		eachRepository(t, func(t *testing.T, r *repository) {
			var job batchv1.Job
			var k kustomization
			decode(t, readFile(t, inRoot(t, dir+"/rung-check.yaml")), &job)
			decode(t, readFile(t, inRoot(t, dir+"/kustomization.yaml")), &k)
			spec := job.Spec.Template.Spec
			if len(spec.Volumes) != 1 || spec.Volumes[0].ConfigMap.Name != k.ConfigMapGenerator[0].Name || !slices.Contains(k.Resources, "rung-check.yaml") || *job.Spec.BackoffLimit != 0 {
				t.Errorf("%+v", spec.Volumes)
			}
			// The repository's files under the names that the kustomization lists.
			all := map[string]string{"policies.yaml": "", "workloads.yaml": "", "expectations.yaml": readFile(t, filepath.Join(r.dir, "expectations.yaml"))}
			files, err := filepath.Glob(filepath.Join(r.dir, "manifests/*.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				into := "workloads.yaml"
				if filepath.Base(f) > "1" {
					into = "policies.yaml"
				}
				all[into] += readFile(t, f) + "\n---\n"
			}
			for _, name := range k.ConfigMapGenerator[0].Files {
				name = filepath.Base(name)
				r.write("mount/..2026/"+name, all[name])
				err := os.Symlink("..data/"+name, filepath.Join(r.dir, "mount", name))
				if err != nil || all[name] == "" {
					t.Fatalf("%s: %v", name, err)
				}
			}
			if err := os.Symlink("..2026", filepath.Join(r.dir, "mount/..data")); err != nil {
				t.Fatal(err)
			}
			for _, c := range spec.Containers {
				if c.WorkingDir != c.VolumeMounts[0].MountPath || c.VolumeMounts[0].Name != spec.Volumes[0].Name || len(c.Command) > 0 {
					t.Errorf("%s does not run rung in the folder of the files", c.Name)
				}
				r.wantPassed(r.sh("cd mount && rung '" + strings.Join(c.Args, "' '") + "'"))
			}
		})
	}
}

// Argo CD makes the ConfigMap before the Job, and both before each sync; Flux applies nothing before the
// check of the same source.
func TestChecksComeFirst(t *testing.T) {
	var job batchv1.Job
	var k kustomization
	decode(t, readFile(t, inRoot(t, "deploy/pipelines/argocd/rung-check.yaml")), &job)
	decode(t, readFile(t, inRoot(t, "deploy/pipelines/argocd/kustomization.yaml")), &k)
	const hook, wave = "argocd.argoproj.io/hook", "argocd.argoproj.io/sync-wave"
	of := k.ConfigMapGenerator[0].Options
	if job.Annotations[hook] != "PreSync" || of.Annotations[hook] != "PreSync" || of.Annotations[wave] != "-1" || job.Annotations[wave] != "" || !of.DisableNameSuffixHash {
		t.Errorf("%v, %+v", job.Annotations, of)
	}
	type fluxKustomization struct {
		APIVersion, Kind string
		Metadata         struct{ Name, Namespace string }
		Spec             struct {
			Interval, Timeout, Path string
			Prune, Force, Wait      bool
			DependsOn               []struct{ Name string }
			SourceRef               struct{ Kind, Name string }
		}
	}
	var flux []fluxKustomization
	for doc := range strings.SplitSeq(readFile(t, inRoot(t, "deploy/pipelines/flux/flux.yaml")), "\n---\n") {
		flux = append(flux, fluxKustomization{})
		decode(t, doc, &flux[len(flux)-1])
	}
	check, apply := flux[0], flux[1]
	if !check.Spec.Wait || !check.Spec.Force || apply.Spec.DependsOn[0].Name != check.Metadata.Name || apply.Spec.SourceRef != check.Spec.SourceRef {
		t.Errorf("%+v\n%+v", check, apply)
	}
	for _, k := range flux {
		if _, err := os.Stat(inRoot(t, filepath.Join("deploy/pipelines/flux", k.Spec.Path, "kustomization.yaml"))); err != nil {
			t.Errorf("%s: %v", k.Metadata.Name, err)
		}
	}
}
