package manifests

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AntreaPolicy and the types below are the kinds of crd.antrea.io/v1beta1, as far as Antrea documents them
// (antrea.md#fields). schemas/crd.antrea.io.yaml holds their schemas. No library with Antrea's own types is
// small enough to use.

type AntreaPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              antreaPolicySpec `json:"spec"`
	Status            struct {
		Phase                string             `json:"phase"`
		ObservedGeneration   int64              `json:"observedGeneration"`
		CurrentNodesRealized int32              `json:"currentNodesRealized"`
		DesiredNodesRealized int32              `json:"desiredNodesRealized"`
		Conditions           []metav1.Condition `json:"conditions"`
	} `json:"status"`
}

type antreaPolicySpec struct {
	Tier      string            `json:"tier"`
	Priority  float64           `json:"priority"`
	AppliedTo []antreaAppliedTo `json:"appliedTo"`
	Ingress   []antreaRule      `json:"ingress"`
	Egress    []antreaRule      `json:"egress"`
}

type antreaName struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

type antreaAppliedTo struct {
	PodSelector       *metav1.LabelSelector `json:"podSelector"`
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
	NodeSelector      *metav1.LabelSelector `json:"nodeSelector"`
	Group             string                `json:"group"`
	ServiceAccount    *antreaName           `json:"serviceAccount"`
	Service           *antreaName           `json:"service"`
	ExternalEntity    *metav1.LabelSelector `json:"externalEntitySelector"`
	// IPBlock is invalid here; it is read for the error message.
	IPBlock *antreaIPBlock `json:"ipBlock"`
}

type antreaIPBlock struct {
	CIDR string `json:"cidr"`
	// Except needs Antrea 2.2 or newer; groups do not have it.
	Except []string `json:"except"`
}

type antreaPeer struct {
	PodSelector       *metav1.LabelSelector `json:"podSelector"`
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
	NodeSelector      *metav1.LabelSelector `json:"nodeSelector"`
	Namespaces        *struct {
		Match      string   `json:"match"`
		SameLabels []string `json:"sameLabels"`
	} `json:"namespaces"`
	Group          string                `json:"group"`
	ServiceAccount *antreaName           `json:"serviceAccount"`
	IPBlock        *antreaIPBlock        `json:"ipBlock"`
	ExternalEntity *metav1.LabelSelector `json:"externalEntitySelector"`
	FQDN           string                `json:"fqdn"`
	// Scope is Cluster, the default, or ClusterSet: several clusters, which Rung does not read.
	Scope string `json:"scope"`
}

// antreaServicePeer is a Service in toServices.
type antreaServicePeer struct {
	antreaName `json:",inline"`
	Scope      string `json:"scope"`
}

// antreaPort is a port with the source ports, which Rung does not evaluate.
type antreaPort struct {
	networkingv1.NetworkPolicyPort `json:",inline"`
	SourcePort                     *int32 `json:"sourcePort"`
	SourceEndPort                  *int32 `json:"sourceEndPort"`
}

type antreaProtocol struct {
	ICMP *struct {
		Type *int32 `json:"icmpType"`
		Code *int32 `json:"icmpCode"`
	} `json:"icmp"`
	IGMP *struct {
		Type  *int32 `json:"igmpType"`
		Group string `json:"groupAddress"`
	} `json:"igmp"`
}

type antreaL7 struct {
	HTTP *struct {
		Host   string `json:"host"`
		Method string `json:"method"`
		Path   string `json:"path"`
	} `json:"http"`
	TLS *struct {
		SNI string `json:"sni"`
	} `json:"tls"`
}

type antreaRule struct {
	Action        string              `json:"action"`
	Name          string              `json:"name"`
	AppliedTo     []antreaAppliedTo   `json:"appliedTo"`
	From          []antreaPeer        `json:"from"`
	To            []antreaPeer        `json:"to"`
	ToServices    []antreaServicePeer `json:"toServices"`
	Ports         []antreaPort        `json:"ports"`
	Protocols     []antreaProtocol    `json:"protocols"`
	L7Protocols   []antreaL7          `json:"l7Protocols"`
	EnableLogging bool                `json:"enableLogging"`
	LogLabel      string              `json:"logLabel"`
}

type AntreaTier struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Priority    int32  `json:"priority"`
		Description string `json:"description"`
	} `json:"spec"`
}

type AntreaGroup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              antreaGroupSpec `json:"spec"`
	Status            struct {
		Conditions []struct {
			Type               string      `json:"type"`
			Status             string      `json:"status"`
			LastTransitionTime metav1.Time `json:"lastTransitionTime"`
		} `json:"conditions"`
	} `json:"status"`
}

type antreaGroupSpec struct {
	PodSelector       *metav1.LabelSelector `json:"podSelector"`
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
	IPBlock           *antreaIPBlock        `json:"ipBlock"`
	IPBlocks          []antreaIPBlock       `json:"ipBlocks"`
	ServiceReference  *antreaName           `json:"serviceReference"`
	ExternalEntity    *metav1.LabelSelector `json:"externalEntitySelector"`
	ChildGroups       []string              `json:"childGroups"`
}
