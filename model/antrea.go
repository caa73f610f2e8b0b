package model

// PolicySystem is the network plugin whose rules of precedence hold in a cluster.
type PolicySystem string

// The systems.
const (
	SystemOVN    PolicySystem = "ovn-kubernetes"
	SystemAntrea PolicySystem = "antrea"
)

// Kinds of Antrea (crd.antrea.io), spelled with their group, since Kubernetes has kinds
// of the same names.
const (
	KindTier         Kind = "Tier.crd.antrea.io"
	KindACNP         Kind = "ClusterNetworkPolicy.crd.antrea.io"
	KindANNP         Kind = "NetworkPolicy.crd.antrea.io"
	KindClusterGroup Kind = "ClusterGroup.crd.antrea.io"
	KindGroup        Kind = "Group.crd.antrea.io"
)

// IsAntrea says whether objects of the kind are policies of Antrea.
func (k Kind) IsAntrea() bool { return k == KindACNP || k == KindANNP }

// AntreaTier is a Tier of Antrea (antrea.md#tiers): policies of the one with the lowest
// priority decide first.
type AntreaTier struct {
	Meta
	Priority    int32
	Description string
	// Static says that Antrea makes the tier itself; it is there without an object.
	Static bool
}

// AntreaGroup is a ClusterGroup (no Namespace) or Group: one of its forms is set.
type AntreaGroup struct {
	Meta
	// Select says that Namespaces and Pods are the form: both must match. Of a Group
	// without a namespaceSelector, the pods are those of its namespace.
	Select           bool
	Namespaces, Pods Selector
	HasNamespaces    bool // a namespaceSelector is written
	Networks         []string
	Service          *Key // of KindService
	Children         []string
	Original         any
	YAML             string
	Invalid          []Broken
}

// AntreaPolicy is what only policies of Antrea have.
type AntreaPolicy struct {
	// Tier is the name of the tier, "application" where none is written.
	Tier string
	// Priority is 1.0 to 10000.0; the lowest decides first within a tier.
	Priority float64
	// AppliedTo are the pods the policy is about, joined by or; empty where every rule
	// has its own.
	AppliedTo []AppliedTo
	// Realized is what the status says of it.
	Phase                       string // Pending, Realizing, Realized, Failed
	NodesRealized, NodesDesired int32
}

// AppliedTo is one element of appliedTo: one of its forms is set.
type AppliedTo struct {
	// Select says that Namespaces and Pods are the form: both must match.
	Select           bool
	Namespaces, Pods Selector
	Group            string // ClusterGroup of an ACNP, Group of an ANNP's namespace
	ServiceAccount   *ServiceAccount
	Service          *Key      // a NodePort Service: clients from outside
	Nodes            *Selector // the nodes themselves
}

// ServiceAccount names one.
type ServiceAccount struct{ Namespace, Name string }

// AntreaRule is what only rules of Antrea have. Rule.Action is Deny for Drop and Reject.
type AntreaRule struct {
	// Action is the API's word: Allow, Drop, Reject, Pass.
	Action string
	// Name is the one written, or the one Antrea would make.
	Generated bool // Rule.Name is not written
	AppliedTo []AppliedTo
	Protocols []AntreaProtocol
	// L7 are the layer 7 protocols, for people, cleaned; traffic that matches is
	// decided by them.
	L7 []string
	// ToServices are Services whose cluster IP and ports the rule is about.
	ToServices []Key
	Logging    bool
	LogLabel   string
}

// AntreaProtocol is one element of protocols: ICMP or IGMP.
type AntreaProtocol struct {
	Protocol string // ICMP, IGMP
	// Type and Code of ICMP, Type of IGMP; nil for any.
	Type, Code *int32
	Group      string // of IGMP
}

// NamespaceMatch says which namespaces a peer of an ACNP is about, seen from the
// namespace of the pod the rule applies to.
type NamespaceMatch struct {
	// Self: the same namespace. Else those with the same values of all SameLabels; where
	// a namespace lacks one of them, the rule is not there for its pods.
	Self       bool
	SameLabels []string
}
