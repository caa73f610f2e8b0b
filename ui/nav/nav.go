package nav

import (
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/plan"
	"rung/model/verdict/diff"
	"rung/model/words"
)

// PageKind is the kind of a page; there is one view for each.
type PageKind string

// The kinds of page.
const (
	Ladder   PageKind = "ladder"
	Policy   PageKind = "policy"   // Key
	Rule     PageKind = "rule"     // Key, Dir, Rule; Zone preselects
	Rows     PageKind = "rows"     // Zone and Table preselect; Text is a filter to start with, Key whose rows it finds
	Row      PageKind = "row"      // Zone, Table and UUID of a live row, or ID of a desired one
	Pod      PageKind = "pod"      // Key
	Edit     PageKind = "edit"     // Key, or none and Priority for a new policy; Text is one that is proposed, ID what is said of it
	Template PageKind = "template" // to pick one, Priority for a blank policy
	Preview  PageKind = "preview"  // a change before it is made; Text tells changes apart
	Plan     PageKind = "plan"     //
	Logs     PageKind = "logs"     // Key, Dir, Rule narrow it; all may be zero
	Activity PageKind = "activity" // Zone narrows it
	Zones    PageKind = "zones"    //
	// Controller shows the log of the ovnkube-controller of Zone about the policy Key.
	Controller PageKind = "controller"
	Contexts   PageKind = "contexts" // of the kubeconfig
	// Findings shows the defects and dangers in all policies.
	Findings PageKind = "findings"
	Cluster  PageKind = "cluster" // the connection to it: resources, permissions, logs
	// Trace shows the verdict on a connection: ID is the question, as trace.ParseQuestion reads it.
	Trace PageKind = "trace"
	// Matrix shows which pods reach which: ID is the port, as trace.ParsePorts reads it; a
	// namespace in Key has its connections alone.
	Matrix   PageKind = "matrix"
	Sessions PageKind = "sessions" // of logging
	// Probe is a trace's question put into the sandbox as packets.
	Probe PageKind = "probe"
	// Diff compares an input, ID, with another, Base, or without that with what the console
	// shows.
	Diff PageKind = "diff"
	// Omitted lists everything that answers do not take into account.
	Omitted PageKind = "omitted"
	// Messages are the last messages of the status line.
	Messages PageKind = "messages"
)

// Kinds lists them all.
var Kinds = []PageKind{Ladder, Policy, Rule, Rows, Row, Pod, Edit, Template, Preview, Plan, Logs, Activity, Zones, Contexts, Controller,
	Findings, Cluster, Trace, Matrix, Probe, Sessions, Diff, Omitted, Messages}

// Alone are the pages that need nothing but their kind: each has an action that goes there, and
// one can begin with it.
var Alone = []PageKind{Ladder, Rows, Zones, Logs, Activity, Plan, Cluster, Findings, Matrix, Sessions, Diff, Omitted, Messages, Contexts}

// Page is one place. Which fields count depends on the PageKind.
type Page struct {
	Kind PageKind
	Key  model.Key
	// Dir and Rule are a rule of the policy Key; without Dir Rule means
	// nothing.
	Dir  model.Direction
	Rule int
	Zone string
	// Table and UUID are a live row of Zone; ID is k8s.ovn.org/id, of a trace the question,
	// of a matrix the port, of a comparison the input before.
	Table, UUID, ID string
	Priority        int32
	Place           plan.TierSlot // of a new policy where policies stand in tiers of their plugin's own
	Text            string
	View            string              // the saved view that says how it is sorted and which columns it has
	Base            string              // of a text that is proposed: what it was made from; of a comparison the input after
	Wanted          *diff.WantedVerdict // of such a text: what it is made for
	AskOVN          bool                // a trace's page begins with asking ovn-trace
	// of a ladder or a matrix the network that it is on, of a row that it was reached from; empty for the default one
	Network string
}

// ToPolicy, ToRule and the others make the usual pages.
func ToPolicy(k model.PolicyKey) Page { return Page{Kind: Policy, Key: k} }

// ToRule is the page of one rule.
func ToRule(k model.PolicyKey, d model.Direction, rule int) Page {
	return Page{Kind: Rule, Key: k, Dir: d, Rule: rule}
}

// ToPod is the page of one pod.
func ToPod(k model.Key) Page { return Page{Kind: Pod, Key: k} }

// ToRow is the page of one live row.
func ToRow(zone, table, uuid string) Page {
	return Page{Kind: Row, Zone: zone, Table: table, UUID: uuid}
}

// ToTrace is the page of a question: which connection.
func ToTrace(question string) Page { return Page{Kind: Trace, ID: question} }

// ToMatrix is the page of who reaches whom on a port, of one namespace where one is named.
func ToMatrix(namespace, port string) Page {
	p := Page{Kind: Matrix, ID: port}
	if namespace != "" {
		p.Key = model.Key{Kind: model.KindNamespace, Name: namespace}
	}
	return p
}

// ToProbe is the page that puts the connection of a question into the sandbox.
func ToProbe(question string) Page { return Page{Kind: Probe, ID: question} }

// ToOVNTrace is the same page, which begins with asking ovn-trace.
func ToOVNTrace(question string) Page { return Page{Kind: Trace, ID: question, AskOVN: true} }

// ToDiff is the page of what differs between two inputs; without after to what the console shows.
func ToDiff(before, after string) Page { return Page{Kind: Diff, ID: before, Base: after} }

// ToNew is the page that writes a new AdminNetworkPolicy at a priority.
func ToNew(priority int32) Page { return Page{Kind: Edit, Priority: priority} }

// ToNewIn is the page that writes a new policy in a tier.
func ToNewIn(at plan.TierSlot) Page { return Page{Kind: Edit, Place: at} }

// ToTemplate is the page that picks a template of policies; a blank policy gets a priority.
func ToTemplate(priority int32) Page { return Page{Kind: Template, Priority: priority} }

// ToTemplateIn is the same where policies stand in tiers.
func ToTemplateIn(at plan.TierSlot) Page { return Page{Kind: Template, Place: at} }

// ToProposal is the page that edits a proposed text of a policy, of a new one at a priority
// where the key is none. base is the policy's text that it was made from; notes stand above
// it, one a line. wanted are the connections it is made for.
func ToProposal(k model.PolicyKey, priority int32, text, base, notes string, wanted *diff.WantedVerdict) Page {
	return Page{Kind: Edit, Key: k, Priority: priority, Text: text, Base: base, ID: notes, Wanted: wanted}
}

// PageOf is a page that needs nothing but its kind.
func PageOf(k PageKind) Page { return Page{Kind: k} }

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

// IsSamePlace says whether two pages are one place. The zone of rows or of a rule is
// no part of that: a page on the screen goes from one to the next.
func (p Page) IsSamePlace(o Page) bool { return p.placeOnly() == o.placeOnly() }

// HasBeginning says whether the page is to begin with a zone or a table, where the same
// place may show another.
func (p Page) HasBeginning() bool { return p != p.placeOnly() }

// IsNone says whether the page is no place.
func (p Page) IsNone() bool { return p.Kind == "" }

// Title is the page's name for people: in breadcrumbs and in the palette. It says by
// itself what the page is about.
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
		if p.ID != "" {
			return p.Table + " " + p.ID
		}
		return p.Table + " " + p.UUID[:min(8, len(p.UUID))]
	case Trace, Probe:
		return strings.TrimRight(string(p.Kind)+" "+p.ID, " ")
	case Diff:
		return strings.TrimRight("diff "+p.Inputs(), " ")
	case Edit:
		if p.Key.Name == "" {
			if p.Place.Tier != "" {
				return "new at " + model.PlaceText(p.Place.Tier, p.Place.Priority)
			}
			return fmt.Sprintf("new at %d", p.Priority)
		}
		return "edit " + name
	case Template:
		if p.Key.Name != "" {
			return "what the set of " + name + " misses"
		}
		return "new from a template"
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
	case Matrix:
		title := "matrix"
		if p.Key.Name != "" {
			title += " of " + p.Key.Name
		}
		return strings.TrimRight(title+" "+p.ID, " ") + words.OnNetwork(p.Network)
	case Controller:
		if p.Key.Name != "" {
			return "controller of " + p.Zone + ": " + name
		}
		return "controller of " + p.Zone
	}
	return string(p.Kind)
}

// policyName is the policy or pod the page is about: only those of other kinds than
// AdminNetworkPolicy say their kind, as everywhere on the screen.
func (p Page) policyName() string {
	if p.Key.Kind == model.KindPod {
		return p.Key.Namespace + "/" + p.Key.Name
	}
	return p.Key.ShortLabel()
}

// ruleName is the rule the page is about.
func (p Page) ruleName() string { return p.Dir.Lower() + " " + strconv.Itoa(p.Rule) }

// On is the page as it stands on a network.
func (p Page) On(network string) Page {
	p.Network = network
	return p
}
