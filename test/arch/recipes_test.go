package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recipes are what CONTRIBUTING.md must say how to add.
var recipes = []string{"A column", "A page", "A finding", "A guard rail", "A flag", "A source", "An ACL family", "A system"}

// recipeStep is a step of a recipe: the file or folder, and the name in it where things
// of that kind are listed.
var recipeStep = regexp.MustCompile("(?m)^[0-9]+\\. (?:`([^`]+)`(?: `([\\w.]+)`)?)?")

// TestRecipes: every step of a recipe begins with a file or folder that is there, and the
// name after it is declared in it.
func TestRecipes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root(t), "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Recipes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	declared := map[string][]string{} // by file and by folder
	for _, f := range source(t) {
		names := declarations(f.ast)
		declared[f.path] = names
		declared[f.dir] = append(declared[f.dir], names...)
	}
	var told []string
	for _, recipe := range strings.Split(section, "\n### ")[1:] {
		title, _, _ := strings.Cut(recipe, "\n")
		told = append(told, title)
		steps := recipeStep.FindAllStringSubmatch(recipe, -1)
		if len(steps) == 0 {
			t.Errorf("recipe %q has no steps", title)
		}
		for i, step := range steps {
			name, registry := step[1], step[2]
			if _, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(name))); name == "" || err != nil {
				t.Errorf("recipe %q, step %d: begins with %q, which is no file or folder here", title, i+1, name)
			} else if registry != "" && !slices.Contains(declared[name], registry) {
				t.Errorf("recipe %q, step %d: %s does not declare %s", title, i+1, name, registry)
			}
		}
	}
	for _, want := range recipes {
		if !slices.Contains(told, want) {
			t.Errorf("CONTRIBUTING.md has no recipe %q", want)
		}
	}
}
