package manifests

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The manifests of networks name all fields of today, to report misspelled ones. Unread fields have type any.
type (
	// UDN is a UserDefinedNetwork.
	UDN struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              networkSpec   `json:"spec"`
		Status            networkStatus `json:"status"`
	}
	// CUDN is a ClusterUserDefinedNetwork.
	CUDN struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector"`
			Network           clusterNetworkSpec    `json:"network"`
		} `json:"spec"`
		Status networkStatus `json:"status"`
	}
	// NAD is a NetworkAttachmentDefinition.
	NAD struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			Config string `json:"config"`
		} `json:"spec"`
	}
	// CNC is a ClusterNetworkConnect.
	CNC struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              struct {
			NetworkSelectors any      `json:"networkSelectors"`
			ConnectSubnets   any      `json:"connectSubnets"`
			Connectivity     []string `json:"connectivity"`
		} `json:"spec"`
		Status any `json:"status"`
	}

	networkSpec struct {
		Topology string        `json:"topology"`
		Layer3   *layer3Config `json:"layer3"`
		Layer2   *flatConfig   `json:"layer2"`
	}
	clusterNetworkSpec struct {
		networkSpec `json:",inline"`
		Localnet    *localnetConfig `json:"localnet"`
		Transport   string          `json:"transport"`
		NoOverlay   any             `json:"noOverlay"`
		// NoOverlayOptions is NoOverlay's name in some releases.
		NoOverlayOptions any `json:"noOverlayOptions"`
		EVPN             any `json:"evpn"`
	}
	layer3Config struct {
		Role        string         `json:"role"`
		MTU         int32          `json:"mtu"`
		Subnets     []layer3Subnet `json:"subnets"`
		JoinSubnets []string       `json:"joinSubnets"`
	}
	layer3Subnet struct {
		CIDR       string `json:"cidr"`
		HostSubnet int32  `json:"hostSubnet"`
	}
	flatConfig struct {
		Role                  string   `json:"role"`
		MTU                   int32    `json:"mtu"`
		Subnets               []string `json:"subnets"`
		ReservedSubnets       []string `json:"reservedSubnets"`
		InfrastructureSubnets []string `json:"infrastructureSubnets"`
		DefaultGatewayIPs     []string `json:"defaultGatewayIPs"`
		JoinSubnets           []string `json:"joinSubnets"`
		IPAM                  any      `json:"ipam"`
		MACSecurity           any      `json:"macSecurity"`
	}
	localnetConfig struct {
		Role                string   `json:"role"`
		PhysicalNetworkName string   `json:"physicalNetworkName"`
		MTU                 int32    `json:"mtu"`
		Subnets             []string `json:"subnets"`
		ExcludeSubnets      []string `json:"excludeSubnets"`
		IPAM                any      `json:"ipam"`
		MACSecurity         any      `json:"macSecurity"`
		VLAN                any      `json:"vlan"`
	}
	networkStatus struct {
		Conditions []metav1.Condition `json:"conditions"`
	}
)
