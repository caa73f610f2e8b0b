package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rooms are the files that are about Antrea: its room, what it is made of, the readers and
// writers of its API and of its log, and the conversion from and to it.
var rooms = []string{"system/antrea.go", "model/antrea/", "model/tiered.go", "model/verdict/antrea", "model/convert/", "engine/convert/", "examples-antrea/",
	"sources/manifests/policy_antrea", "sources/manifests/write_antrea.go", "sources/manifests/antrea", "sources/acllog/antrea.go"}

// namesAntrea are the other files that name it, in how many lines, and why: numbers are only
// lowered.
var namesAntrea = map[string]struct {
	lines int
	why   string
}{
	"system/system.go":                    {2, "the list of all systems, with an example of their words"},
	"system/ovn.go":                       {2, "what is said of policies of another plugin"},
	"system/doc.go":                       {2, "names the systems"},
	"model/verdict/doc.go":                {2, "names the precedences"},
	"model/verdict/precedence.go":         {1, "names the precedences"},
	"model/kinds.go":                      {3, "kinds as JSON has them; the namespaces of plugins"},
	"model/lint/codes.go":                 {3, "short forms of codes stand in one registry"},
	"revision/order.go":                   {5, "groups and appliedTo, which no other API has"},
	"revision/pod_rules.go":               {10, "groups and appliedTo, which no other API has"},
	"sources/kube/resources.go":           {9, "the API group"},
	"sources/kube/watch.go":               {1, "an API group that most clusters have not"},
	"sources/acllog/file_set.go":          {1, "how files of logs are called"},
	"sources/acllog/parse.go":             {4, "reads both forms of lines"},
	"sources/acllog/prefix.go":            {1, "how pods are called"},
	"sources/manifests/kinds.go":          {9, "the table of API kinds"},
	"sources/manifests/decode.go":         {3, "reads API objects"},
	"sources/manifests/write.go":          {2, "writes API objects"},
	"sources/manifests/doc.go":            {1, "names the schemas"},
	"sources/manifests/crd_validation.go": {1, "names the schemas"},
	"cli/convert.go":                      {4, "the help names what can be converted to"},
	"pages/policy/facts.go":               {1, "a name in JSON"},
	"pages/trace/facts.go":                {1, "a name in JSON"},
	"cli/ladder.go":                       {2, "the help has an example"},
	"cli/console.go":                      {2, "the help has an example"},
}

// A system is one room: what differs between network plugins is asked of system.System, and
// nobody asks which of them it is.
func TestSystemsAreRooms(t *testing.T) {
	cited := regexp.MustCompile(`\(antrea\.md#[a-z0-9-]+\)`)
	counted := map[string]int{}
	for _, f := range source(t) {
		if f.test() || strings.HasPrefix(f.path, "test/") || strings.HasPrefix(f.path, "bench/") ||
			slices.ContainsFunc(rooms, func(r string) bool { return strings.HasPrefix(f.path, r) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root(t), f.path))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(cited.ReplaceAllString(string(text), "")) {
			if strings.Contains(strings.ToLower(line), "antrea") {
				counted[f.path]++
			}
		}
	}
	for f, n := range counted {
		if is := namesAntrea[f]; n > is.lines {
			t.Errorf("%s names Antrea in %d lines, at most %d: ask the System what there is (docs/architecture.md#systems)", f, n, is.lines)
		}
	}
	for f, is := range namesAntrea {
		if n := counted[f]; n < is.lines {
			t.Errorf("%s names Antrea in %d lines: lower its number, which is %d", f, n, is.lines)
		}
	}
}
