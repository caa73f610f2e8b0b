package nav

import (
	"fmt"
	"strconv"

	"rung/model"
)

// Kind is the kind of a page; there is one view for each.
type Kind string

// The kinds of page.
const (
	Ladder   Kind = "ladder"
	Policy   Kind = "policy"   // Key
	Rule     Kind = "rule"     // Key, Dir, Rule; Zone preselects
	Rows     Kind = "rows"     // Zone preselects; Text is a filter to start with
	Row      Kind = "row"      // Zone, Table and UUID of a live row, or ID of a desired one
	Pod      Kind = "pod"      // Key
	Edit     Kind = "edit"     // Key, or none and Priority for a new policy
	Preview  Kind = "preview"  // a change before it is made; Text tells changes apart
	Plan     Kind = "plan"     //
	Logs     Kind = "logs"     // Key, Dir, Rule narrow it; all may be zero
	Activity Kind = "activity" // Zone narrows it
	Zones    Kind = "zones"    //
	// Controller is what the ovnkube-controller of Zone wrote about the policy Key.
	Controller Kind = "controller"
	Contexts   Kind = "contexts" // of the kubeconfig
	// Ready is what controllers reported of all policies, or of Key zone by zone.
	Ready Kind = "ready"
	// Findings is what is wrong or dangerous about all policies.
	Findings Kind = "findings"
	Cluster  Kind = "cluster" // the connection to it: resources, permissions, logs
)

// Kinds lists them all.
var Kinds = []Kind{Ladder, Policy, Rule, Rows, Row, Pod, Edit, Preview, Plan, Logs, Activity, Zones, Contexts, Controller, Ready, Findings, Cluster}

// Page is one place. Which fields count depends on the Kind.
type Page struct {
	Kind Kind
	Key  model.Key
	// Dir and Rule are a rule of the policy Key; without Dir Rule means
	// nothing.
	Dir  model.Direction
	Rule int
	Zone string
	// Table and UUID are a live row of Zone; ID is k8s.ovn.org/id.
	Table, UUID, ID string
	Priority        int32
	Text            string
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

// ToNew is the page that writes a new AdminNetworkPolicy at a priority.
func ToNew(priority int32) Page { return Page{Kind: Edit, Priority: priority} }

// To is a page that needs nothing but its kind.
func To(k Kind) Page { return Page{Kind: k} }

// None says whether the page is no place.
func (p Page) None() bool { return p.Kind == "" }

// Title is the page's name for people: in breadcrumbs and in the palette.
func (p Page) Title() string {
	name := p.Key.Name
	if p.Key.Namespace != "" {
		name = p.Key.Namespace + "/" + name
	}
	switch p.Kind {
	case Ladder:
		return "Ladder"
	case Policy:
		return name
	case Rule:
		return p.Dir.Lower() + " " + strconv.Itoa(p.Rule)
	case Pod:
		return "pod " + name
	case Row:
		if p.ID != "" {
			return p.Table + " " + p.ID
		}
		return p.Table + " " + short(p.UUID)
	case Edit:
		if p.Key.Name == "" {
			return fmt.Sprintf("new at %d", p.Priority)
		}
		return "edit " + name
	case Rows:
		if p.Zone != "" {
			return "rows " + p.Zone
		}
	case Logs:
		if p.Key.Name != "" {
			return "log " + name
		}
	case Ready:
		if p.Key.Name != "" {
			return "ready " + name
		}
	case Controller:
		return "controller of " + p.Zone
	}
	return string(p.Kind)
}

func short(uuid string) string {
	if len(uuid) > 8 {
		return uuid[:8]
	}
	return uuid
}
