package change

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/manifests"
)

// ObjectChange is one object before and after.
type ObjectChange struct {
	Key        model.PolicyKey
	ServerVerb kube.Verb     // how it is made on a cluster; not used for files
	Old, New   *model.Policy // nil: created, removed
	Fields     []FieldChange
	Diff       string // unified diff of the YAML
	// Set if New.YAML is Old.YAML edited by hand: a file gets that very text, comments included.
	ByHand bool
	// Force takes over fields of other managers (kube.VerbApply). SentDocument is the author's document if New
	// is the server's version of it, else nil.
	Force        bool
	SentDocument *model.Policy
	// Changes to the object's file: UndoneFile by the undone change, WrittenFile by this one.
	UndoneFile, WrittenFile *FileChange
}

// FieldChange describes a changed field: "spec.priority" 34 → 36.
type FieldChange struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// RowChange is a row that will be added (DiffMissing), changed (DiffDifferent) or removed (DiffExtra); Fields
// say what changes.
type RowChange struct {
	Policy model.PolicyKey
	model.RowDiff
}

// FileChange describes a changed file and its objects' keys.
type FileChange struct {
	manifests.TextChange
	Keys []model.PolicyKey
}

// Writer makes changes of policies permanent. Without one, as in the demo and for plain files, they stay in
// memory. It makes all changes or none: if it fails half way it reverts what it did and says so. It may
// replace New by the object as the API server or the file now has it. A writer of files records its edits, and
// names the files in advance.
type Writer interface {
	Write(ctx context.Context, changes []ObjectChange) error
}

// Verb returns "create", "update" or "delete".
func (c ObjectChange) Verb() string {
	switch {
	case c.Old == nil:
		return "create"
	case c.New == nil:
		return "delete"
	}
	return "update"
}

func PolicyText(p *model.Policy) string {
	if p == nil {
		return ""
	}
	return p.YAML
}

// Capitalize makes the first letter upper case.
func Capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// Place returns the origin of a policy: its file name, or else its source.
func (c *ObjectChange) Place() string {
	if file := c.origin().File; file != "" {
		return filepath.Base(file)
	}
	return c.Source()
}

// Source returns the name of a policy's source.
func (c *ObjectChange) Source() string { return c.origin().Source }

func (c *ObjectChange) origin() model.Origin { return cmp.Or(c.New, c.Old).Origin }

// annotationArgs returns the arguments of kubectl annotate that change the logging annotations.
func (c *ObjectChange) annotationArgs() (words []string) {
	set, had := RawLogAnnotations(c.New), RawLogAnnotations(c.Old)
	for _, name := range model.LoggingAnnotations() {
		v, has := set[name]
		was, there := had[name]
		switch {
		case has && (!there || was != v):
			words = append(words, name+"="+v)
		case !has && there:
			words = append(words, name+"-")
		}
	}
	return words
}

func policyPriority(p *model.Policy) float64 {
	if p.Tiered != nil {
		return p.Tiered.Priority
	}
	return float64(p.Priority)
}

// RawLogAnnotations returns the logging annotations of an object, byte for byte.
func RawLogAnnotations(p *model.Policy) map[string]string {
	out := map[string]string{}
	for _, name := range model.LoggingAnnotations() {
		if v, has := p.RawAnnotation(name); has {
			out[name] = v
		}
	}
	return out
}

// APIVerb returns the API verb that changes an object on a cluster.
func APIVerb(m Mutation, c *ObjectChange) kube.Verb {
	switch {
	case c.New == nil:
		return kube.VerbDelete
	case m.Op == OpApply && m.ServerSide:
		return kube.VerbApply
	case c.Old == nil:
		return kube.VerbCreate
	case m.Op == OpMove || m.Op == OpLogLevel || m.Op == OpLogEnd || c.Key.Kind == model.KindNamespace:
		return kube.VerbPatch
	}
	return kube.VerbUpdate
}

// SortForWriting sorts changes into the order a server accepts: objects that policies refer to are created
// before the policies and deleted after them; a group comes after its child groups.
func SortForWriting(changes []ObjectChange) {
	rank := func(c *ObjectChange) int {
		r := 3
		if g, ok := cmp.Or(c.New, c.Old).Represents.(*model.Group); ok && len(g.Children) > 0 {
			r = 2
		} else if c.Key.Kind == model.KindTier {
			r = 0
		} else if c.Key.Kind.IsReferenced() {
			r = 1
		}
		if c.New == nil {
			return 10 - r
		}
		return r
	}
	slices.SortStableFunc(changes, func(a, b ObjectChange) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), a.Key.Compare(b.Key))
	})
}

// ObjectKeys returns the keys of the changed objects.
func ObjectKeys(changes []ObjectChange) (out []model.Key) {
	for i := range changes {
		out = append(out, changes[i].Key)
	}
	return out
}

// WrittenFiles returns the file changes of object changes that were written, each file once.
func WrittenFiles(changes []ObjectChange) (out []FileChange) {
	var had []*FileChange
	for i := range changes {
		if f := changes[i].WrittenFile; f != nil && !slices.Contains(had, f) {
			had = append(had, f)
			out = append(out, *f)
		}
	}
	return out
}

// FirstPerKey returns a plan's first change of each policy, which starts from the present state.
func FirstPerKey(changes []ObjectChange) (out []ObjectChange) {
	for _, c := range changes {
		if !slices.ContainsFunc(out, func(o ObjectChange) bool { return o.Key == c.Key }) {
			out = append(out, c)
		}
	}
	return out
}

// ServerAnswer is a server's answer to a dry run of changes.
type ServerAnswer struct {
	Blocked  string // one line
	Errors   []model.Broken
	Warnings []string
	// Objects the server would store, one for each change; nil for a deletion and for a change not tried.
	Stored []*model.Policy
}

// ObjectsTitle describes the changes of objects in a few words.
func ObjectsTitle(changes []ObjectChange) string {
	switch len(changes) {
	case 0:
		return "No change"
	case 1:
		return Capitalize(changes[0].Verb()) + " " + changes[0].Key.Label()
	}
	var parts []string
	for _, verb := range []string{"create", "update", "delete"} {
		var names []string
		for _, c := range changes {
			if c.Verb() == verb {
				names = append(names, c.Key.Label())
			}
		}
		if n := len(names); n > 3 {
			names = append(names[:2], fmt.Sprintf("%d more", n-2))
		}
		if len(names) > 0 {
			parts = append(parts, verb+" "+strings.Join(names, ", "))
		}
	}
	return Capitalize(strings.Join(parts, "; "))
}

// KubectlCommands returns the equivalent kubectl command lines.
func KubectlCommands(rev *revision.Revision, m Mutation, changes []ObjectChange) (out []string) {
	for i := range changes {
		// One line takes all documents of a text.
		if line := kubectlCommand(rev, m, &changes[i]); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// KubectlScript returns a shell script of the command lines with their input.
func KubectlScript(rev *revision.Revision, m Mutation, changes []ObjectChange) string {
	texts := map[string]string{}
	for i := range changes {
		if c := &changes[i]; c.New != nil {
			line := kubectlCommand(rev, m, c)
			if texts[line] != "" {
				texts[line] += "---\n"
			}
			texts[line] += strings.TrimSuffix(c.New.YAML, "\n") + "\n"
		}
	}
	var out strings.Builder
	for _, line := range KubectlCommands(rev, m, changes) {
		if strings.HasSuffix(line, " -") { // reads standard input
			end := "EOF"
			for strings.Contains("\n"+texts[line], "\n"+end+"\n") {
				end += "F"
			}
			line += " <<'" + end + "'\n" + texts[line] + end
		}
		out.WriteString(line + "\n")
	}
	return out.String()
}

func kubectlCommand(rev *revision.Revision, m Mutation, c *ObjectChange) string {
	k := rev.Mode.Kubectl
	switch {
	case c.New == nil:
		return k.Delete(c.Key)
	case m.Op == OpApply || c.Old == nil:
	case len(c.Fields) > 0 && len(c.Fields) == len(c.annotationArgs()): // only the logging annotations change
		return k.Annotate(c.Key, c.annotationArgs()...)
	case len(c.Fields) == 1 && c.Fields[0].Path == "spec.priority":
		return k.SetPriority(c.Key, policyPriority(c.Old), policyPriority(c.New))
	}
	switch {
	case rev.Mode.Name != revision.ClusterMode:
		return k.FromInput("apply")
	case c.ServerVerb == kube.VerbCreate:
		return k.FromInput("create")
	case c.ServerVerb == kube.VerbApply:
		return k.ServerSideApply(m.Force)
	}
	return k.FromInput("replace")
}
