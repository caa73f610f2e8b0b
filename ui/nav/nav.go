package nav

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/plan"
	"rung/model/verdict/diff"
	"rung/model/words"
)

// PageKind is the kind of a page; each has one view.
type PageKind string

// Kinds of page, with the fields of Page they use.
const (
	Ladder PageKind = "ladder"
	Policy PageKind = "policy" // Key
	Rule   PageKind = "rule"   // Key, Dir, Rule; Zone preselects
	Rows   PageKind = "rows"   // Zone and Table preselect; Text is the first filter, Key the owner of the rows it finds
	Row    PageKind = "row"    // Zone, Table and UUID of a live row, or ID of a desired one
	Pod    PageKind = "pod"    // Key
	// Namespace shows who may reach a namespace, what it may reach, and which policies apply: Key.
	Namespace PageKind = "namespace"
	Edit      PageKind = "edit"     // Key, or none and Priority for a new policy; Text is a proposed text, ID notes about it
	Template  PageKind = "template" // Priority is for a blank policy
	Preview   PageKind = "preview"  // a change before it is made; Text distinguishes changes
	Plan      PageKind = "plan"     //
	Logs      PageKind = "logs"     // Key, Dir, Rule narrow it; all may be zero
	Activity  PageKind = "activity" // Zone narrows it
	Zones     PageKind = "zones"    //
	// Controller shows the log of Zone's ovnkube-controller about the policy Key.
	Controller PageKind = "controller"
	Contexts   PageKind = "contexts" // of the kubeconfig
	// Findings shows the defects and dangers in all policies.
	Findings PageKind = "findings"
	Cluster  PageKind = "cluster" // the connection to the cluster: resources, permissions, logs
	// Trace shows the verdict on a connection: ID is the question for trace.ParseQuestion.
	Trace PageKind = "trace"
	// Matrix shows which pods reach which: ID is the port for trace.ParsePorts; a namespace in Key limits it
	// to that namespace.
	Matrix   PageKind = "matrix"
	Sessions PageKind = "sessions" // of logging
	// Probe sends a trace's question into the sandbox as packets.
	Probe PageKind = "probe"
	// Diff compares input ID with input Base, or with the console's cluster if Base is empty.
	Diff PageKind = "diff"
	// Omitted lists everything that answers do not take into account.
	Omitted PageKind = "omitted"
	// Messages lists the last messages of the status line.
	Messages PageKind = "messages"
)

// Kinds lists all kinds.
var Kinds = []PageKind{Ladder, Policy, Rule, Rows, Row, Pod, Namespace,
	Edit, Template, Preview, Plan, Logs, Activity, Zones, Contexts, Controller,
	Findings, Cluster, Trace, Matrix, Probe, Sessions, Diff, Omitted, Messages}

// Alone lists the kinds that need no other field: each has an action, and can be the first page.
var Alone = []PageKind{Ladder, Rows, Zones, Logs, Activity, Plan, Cluster, Findings, Matrix, Sessions, Diff, Omitted, Messages, Contexts}

// Page is one place. Which fields count depends on the PageKind.
type Page struct {
	Kind PageKind
	Key  model.Key
	// Dir and Rule name a rule of the policy Key; without Dir, Rule means nothing.
	Dir  model.Direction
	Rule int
	Zone string
	// Table and UUID name a live row of Zone. ID is k8s.ovn.org/id, a trace's question, a matrix's port, the
	// first input of a comparison, or the path of a file to edit from line Rule on.
	Table, UUID, ID string
	Priority        int32
	Place           plan.TierPlace // of a new policy, if the plugin has its own tiers
	Text            string
	View            string              // saved view with the sort order and columns
	Base            string              // text a proposal was made from; second input of a comparison
	Wanted          *diff.WantedVerdict // the purpose of a proposed text
	AskOVN          bool                // a trace page begins with ovn-trace
	// network of a ladder or matrix, or the one a row was reached from; empty for the default one
	Network string
}

// ToPolicy returns the page of a policy.
func ToPolicy(k model.PolicyKey) Page { return Page{Kind: Policy, Key: k} }

// ToRule returns the page of a rule.
func ToRule(k model.PolicyKey, d model.Direction, rule int) Page {
	return Page{Kind: Rule, Key: k, Dir: d, Rule: rule}
}

// ToPod returns the page of a pod.
func ToPod(k model.Key) Page { return Page{Kind: Pod, Key: k} }

// ToNamespace returns the page of a namespace.
func ToNamespace(name string) Page {
	return Page{Kind: Namespace, Key: model.Key{Kind: model.KindNamespace, Name: name}}
}

// ToFile returns the page that edits the file of an object; no page for standard input, the demo's manifests, a
// revision of a repository and packed files.
func ToFile(at model.Origin) Page {
	if at.File == "" || at.File == "-" || at.IsBuiltIn() || strings.HasPrefix(at.File, "git:") || strings.HasSuffix(at.File, ".gz") {
		return Page{}
	}
	return Page{Kind: Edit, ID: at.File, Rule: at.Line}
}

// ToRow returns the page of a live row.
func ToRow(zone, table, uuid string) Page {
	return Page{Kind: Row, Zone: zone, Table: table, UUID: uuid}
}

// ToTrace returns the page that traces a connection.
func ToTrace(question string) Page { return Page{Kind: Trace, ID: question} }

// ToMatrix returns the matrix for a port, limited to a namespace unless empty.
func ToMatrix(namespace, port string) Page {
	p := Page{Kind: Matrix, ID: port}
	if namespace != "" {
		p.Key = model.Key{Kind: model.KindNamespace, Name: namespace}
	}
	return p
}

// ToProbe returns the page that sends a connection into the sandbox.
func ToProbe(question string) Page { return Page{Kind: Probe, ID: question} }

// ToOVNTrace returns a trace page that begins with ovn-trace.
func ToOVNTrace(question string) Page { return Page{Kind: Trace, ID: question, AskOVN: true} }

// ToDiff returns the comparison of two inputs; an empty after means the console's cluster.
func ToDiff(before, after string) Page { return Page{Kind: Diff, ID: before, Base: after} }

// ToNew returns the page that writes a new AdminNetworkPolicy at a priority.
func ToNew(priority int32) Page { return Page{Kind: Edit, Priority: priority} }

// ToNewIn returns the page that writes a new policy in a tier.
func ToNewIn(at plan.TierPlace) Page { return Page{Kind: Edit, Place: at} }

// ToTemplate returns the page that picks a template; the priority is for a blank policy.
func ToTemplate(priority int32) Page { return Page{Kind: Template, Priority: priority} }

// ToQuarantine returns the page that makes a policy for the pods with a label from the template for that.
func ToQuarantine(label string) Page { return Page{Kind: Template, ID: "quarantine", Base: label} }

// ToProposal returns the page that edits a proposed text of policy k, or of a new policy at a priority if k is
// zero. base is the policy's text it was made from, notes are shown above the text, one a line, wanted are the
// connections it is for.
func ToProposal(k model.PolicyKey, priority int32, text, base, notes string, wanted *diff.WantedVerdict) Page {
	return Page{Kind: Edit, Key: k, Priority: priority, Text: text, Base: base, ID: notes, Wanted: wanted}
}

// NewPage returns a page that needs only its kind.
func NewPage(k PageKind) Page { return Page{Kind: k} }

// placeOnly returns the page without the fields that only say how it begins.
func (p Page) placeOnly() Page {
	switch p.Kind {
	case Rule:
		p.Zone = ""
	case Trace:
		p.AskOVN = false
	case Row:
		p.Network = ""
	case Rows:
		p.Key, p.Zone, p.Table = model.Key{}, "", ""
	}
	return p
}

// IsSamePlace reports whether two pages are one place. The zone of rows or of a rule does not count, since the
// page itself switches zones.
func (p Page) IsSamePlace(o Page) bool { return p.placeOnly() == o.placeOnly() }

// HasBeginning reports whether the page names a zone or a table to begin with.
func (p Page) HasBeginning() bool { return p != p.placeOnly() }

// IsNone reports whether the page is the zero page.
func (p Page) IsNone() bool { return p.Kind == "" }

// Title returns the page's name for breadcrumbs and the palette, clear without further context.
func (p Page) Title() string {
	name := p.policyName()
	switch p.Kind {
	case Ladder:
		return "Ladder" + words.OnNetwork(p.Network)
	case Omitted:
		return "not counted"
	case Policy:
		return name
	case Rule:
		return name + " " + p.ruleName()
	case Pod:
		return "pod " + name
	case Row:
		return p.Table + " " + cmp.Or(p.ID, p.UUID[:min(8, len(p.UUID))])
	case Trace, Probe:
		return strings.TrimRight(string(p.Kind)+" "+p.ID, " ")
	case Diff:
		return strings.TrimRight("diff "+p.Inputs(), " ")
	case Edit:
		switch {
		case p.Key.Name != "":
			return "edit " + name
		case p.Place.Tier != "":
			return "new at " + model.PlaceText(p.Place.Tier, p.Place.Priority)
		}
		return fmt.Sprintf("new at %d", p.Priority)
	case Template:
		return words.Choose(p.Key.Name != "", "what the set of "+name+" misses", "new from a template")
	case Rows:
		switch {
		case p.Key.Name != "":
			return "rows of " + name
		case p.Zone != "":
			return "rows " + p.Zone
		}
	case Logs:
		switch {
		case p.Dir != "":
			return "log of " + name + " " + p.ruleName()
		case p.Key.Kind == model.KindPod:
			return "log of pod " + name
		case p.Key.Name != "":
			return "log of " + name
		}
	case Namespace:
		return "namespace " + p.Key.Name
	case Matrix:
		title := "matrix"
		title += words.Between(" of ", p.Key.Name, "")
		return strings.TrimRight(title+" "+p.ID, " ") + words.OnNetwork(p.Network)
	case Controller:
		return "controller of " + p.Zone + words.Choose(p.Key.Name != "", ": "+name, "")
	}
	return string(p.Kind)
}

// policyName returns the policy or pod of the page; AdminNetworkPolicies are named without kind, as everywhere
// on the screen.
func (p Page) policyName() string {
	if p.Key.Kind == model.KindPod {
		return p.Key.Namespace + "/" + p.Key.Name
	}
	return p.Key.ShortLabel()
}

// ruleName returns the rule of the page.
func (p Page) ruleName() string { return p.Dir.Lower() + " " + strconv.Itoa(p.Rule) }

// OnNetwork returns the page on a network.
func (p Page) OnNetwork(network string) Page {
	p.Network = network
	return p
}
