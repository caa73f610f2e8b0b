package manifests

import (
	"fmt"
	"strings"
	"testing"

	"rung/model"
	"rung/sources/manifests/yamltree"
)

// networkCase is a network to create: what differs from its base, and the field and a part of the
// message that refuse it, both empty for one that is accepted.
type networkCase struct{ name, spec, field, want string }

// flat are layer 2 networks; each is tried as a UserDefinedNetwork and as a ClusterUserDefinedNetwork.
var flat = []networkCase{
	{"one subnet", `role: Primary, subnets: [10.20.0.0/16]`, "", ""},
	{"two families", `role: Primary, subnets: [10.20.0.0/16, "fd20::/64"], joinSubnets: [100.66.0.0/16, "fd66::/64"], mtu: 1400`, "", ""},
	{"no addresses", `role: Secondary, ipam: {mode: Disabled}`, "", ""},
	{"no addresses, any MAC", `role: Secondary, ipam: {mode: Disabled}, macSecurity: {mode: Disabled}`, "", ""},
	{"kept addresses", `role: Primary, subnets: [10.20.0.0/16], ipam: {lifecycle: Persistent}`, "", ""},
	{"gateway and reserves", `role: Primary, subnets: [10.20.0.0/16], infrastructureSubnets: [10.20.0.0/28], reservedSubnets: [10.20.1.0/24], defaultGatewayIPs: [10.20.0.1]`, "", ""},
	{"no role", `subnets: [10.20.0.0/16]`, "role", "Required"},
	{"role of another", `role: Tertiary, subnets: [10.20.0.0/16]`, "role", "Unsupported"},
	{"no subnets", `role: Primary`, "", "subnets must be given"},
	{"empty subnets", `role: Primary, subnets: []`, "subnets", "at least one item"},
	{"subnets without addresses", `role: Secondary, subnets: [10.20.0.0/16], ipam: {mode: Disabled}`, "", "not both"},
	{"primary without addresses", `role: Primary, ipam: {mode: Disabled}`, "", "for Secondary networks only"},
	{"empty ipam", `role: Primary, subnets: [10.20.0.0/16], ipam: {}`, "ipam", "has none"},
	{"mode of another", `role: Secondary, ipam: {mode: Off}`, "ipam.mode", "Unsupported"},
	{"lifecycle of another", `role: Primary, subnets: [10.20.0.0/16], ipam: {lifecycle: Forever}`, "ipam.lifecycle", "Unsupported"},
	{"kept without addresses", `role: Secondary, ipam: {mode: Disabled, lifecycle: Persistent}`, "ipam", "lifecycle Persistent needs"},
	{"three subnets", `role: Primary, subnets: [10.20.0.0/16, "fd20::/64", 10.21.0.0/16]`, "subnets", "Too many"},
	{"one family twice", `role: Primary, subnets: [10.20.0.0/16, 10.21.0.0/16]`, "subnets", "different IP families"},
	{"subnet no CIDR", `role: Primary, subnets: [10.20.0.0]`, "subnets[0]", "must be a CIDR"},
	{"subnet out of range", `role: Primary, subnets: [10.20.0.0/33]`, "subnets[0]", "must be a CIDR"},
	{"subnet too long", `role: Primary, subnets: ["` + strings.Repeat("1", 44) + `"]`, "subnets[0]", "Too long"},
	{"join of a secondary", `role: Secondary, subnets: [10.20.0.0/16], joinSubnets: [100.66.0.0/16]`, "", "joinSubnets is for Primary"},
	{"join no CIDR", `role: Primary, subnets: [10.20.0.0/16], joinSubnets: [here]`, "joinSubnets[0]", "must be a CIDR"},
	{"join empty", `role: Primary, subnets: [10.20.0.0/16], joinSubnets: []`, "joinSubnets", "at least one item"},
	{"join one family twice", `role: Primary, subnets: [10.20.0.0/16], joinSubnets: [100.66.0.0/16, 100.67.0.0/16]`, "joinSubnets", "different IP families"},
	{"join three", `role: Primary, subnets: [10.20.0.0/16], joinSubnets: [100.66.0.0/16, "fd66::/64", 100.67.0.0/16]`, "joinSubnets", "Too many"},
	{"mtu small", `role: Primary, subnets: [10.20.0.0/16], mtu: 500`, "mtu", "greater than or equal to 576"},
	{"mtu large", `role: Primary, subnets: [10.20.0.0/16], mtu: 70000`, "mtu", "less than or equal to 65536"},
	{"mtu small for IPv6", `role: Primary, subnets: ["fd20::/64"], mtu: 1200`, "", "at least 1280"},
	{"gateway of a secondary", `role: Secondary, subnets: [10.20.0.0/16], defaultGatewayIPs: [10.20.0.1]`, "", "defaultGatewayIPs is for Primary"},
	{"gateway elsewhere", `role: Primary, subnets: [10.20.0.0/16], defaultGatewayIPs: [10.30.0.1]`, "", "inside the subnets"},
	{"gateway elsewhere, IPv6", `role: Primary, subnets: ["fd20::/64"], defaultGatewayIPs: ["fd21::1"]`, "", "inside the subnets"},
	{"one gateway of two elsewhere", `role: Primary, subnets: [10.20.0.0/16, "fd20::/64"], defaultGatewayIPs: [10.30.0.1, "fd20::1"]`, "", "inside the subnets"},
	{"one gateway for two", `role: Primary, subnets: [10.20.0.0/16, "fd20::/64"], defaultGatewayIPs: [10.20.0.1]`, "", "one address for each subnet"},
	{"gateway no address", `role: Primary, subnets: [10.20.0.0/16], defaultGatewayIPs: [gate]`, "defaultGatewayIPs[0]", "must be an IP address"},
	{"gateways of one family", `role: Primary, subnets: [10.20.0.0/16, "fd20::/64"], defaultGatewayIPs: [10.20.0.1, 10.20.0.2]`, "defaultGatewayIPs", "different IP families"},
	{"gateway beside infrastructure", `role: Primary, subnets: [10.20.0.0/16], infrastructureSubnets: [10.20.0.0/28], defaultGatewayIPs: [10.20.9.1]`, "", "inside the infrastructureSubnets"},
	{"reserve of a secondary", `role: Secondary, subnets: [10.20.0.0/16], reservedSubnets: [10.20.1.0/24]`, "", "reservedSubnets is for Primary"},
	{"reserve without subnets", `role: Secondary, ipam: {mode: Disabled}, reservedSubnets: [10.20.1.0/24]`, "", "reservedSubnets needs subnets"},
	{"reserve elsewhere", `role: Primary, subnets: [10.20.0.0/16], reservedSubnets: [10.30.1.0/24]`, "", "reservedSubnets must be inside"},
	{"reserve elsewhere, IPv6", `role: Primary, subnets: ["fd20::/64"], reservedSubnets: ["fd21::/80"]`, "", "reservedSubnets must be inside"},
	{"reserve with host bits", `role: Primary, subnets: [10.20.0.0/16], reservedSubnets: [10.20.1.1/24]`, "", "no host bits"},
	{"infrastructure of a secondary", `role: Secondary, subnets: [10.20.0.0/16], infrastructureSubnets: [10.20.1.0/24]`, "", "infrastructureSubnets is for Primary"},
	{"infrastructure without subnets", `role: Primary, infrastructureSubnets: [10.20.1.0/24], ipam: {mode: Disabled}`, "", "infrastructureSubnets needs subnets"},
	{"infrastructure elsewhere", `role: Primary, subnets: [10.20.0.0/16], infrastructureSubnets: [10.30.1.0/24]`, "", "infrastructureSubnets must be inside"},
	{"infrastructure with host bits", `role: Primary, subnets: [10.20.0.0/16], infrastructureSubnets: [10.20.1.1/24]`, "", "no host bits"},
	{"infrastructure five times", `role: Primary, subnets: [10.20.0.0/16], infrastructureSubnets: [10.20.1.0/24, 10.20.2.0/24, 10.20.3.0/24, 10.20.4.0/24, 10.20.5.0/24]`, "infrastructureSubnets", "Too many"},
	{"infrastructure in the reserve", `role: Primary, subnets: [10.20.0.0/16], infrastructureSubnets: [10.20.1.0/28], reservedSubnets: [10.20.1.0/24]`, "", "must not overlap"},
	{"reserve in the infrastructure", `role: Primary, subnets: [10.20.0.0/16, "fd20::/64"], infrastructureSubnets: [10.20.1.0/24, "fd20::/80"], reservedSubnets: [10.20.2.0/28, "fd20::/96"]`, "", "must not overlap"},
	{"any MAC on a primary", `role: Primary, subnets: [10.20.0.0/16], macSecurity: {mode: Disabled}`, "", "macSecurity is for Secondary"},
	{"MAC checked on a primary", `role: Primary, subnets: [10.20.0.0/16], macSecurity: {mode: Enabled}`, "", "macSecurity is for Secondary"},
	{"any MAC with addresses", `role: Secondary, subnets: [10.20.0.0/16], macSecurity: {mode: Disabled}`, "", "needs ipam.mode Disabled"},
}

var routed = []networkCase{
	{"one subnet", `role: Primary, subnets: [{cidr: 10.20.0.0/16}]`, "", ""},
	{"parts of nodes", `role: Secondary, subnets: [{cidr: 10.20.0.0/16, hostSubnet: 24}, {cidr: "fd20::/48", hostSubnet: 64}]`, "", ""},
	{"no role", `subnets: [{cidr: 10.20.0.0/16}]`, "role", "Required"},
	{"no subnets", `role: Primary`, "subnets", "Required"},
	{"empty subnets", `role: Primary, subnets: []`, "subnets", "at least one item"},
	{"no cidr", `role: Primary, subnets: [{hostSubnet: 24}]`, "subnets[0].cidr", "Required"},
	{"cidr no CIDR", `role: Primary, subnets: [{cidr: 10.20.0.0/40}]`, "subnets[0].cidr", "must be a CIDR"},
	{"one family twice", `role: Primary, subnets: [{cidr: 10.20.0.0/16}, {cidr: 10.21.0.0/16}]`, "subnets", "different IP families"},
	{"three subnets", `role: Primary, subnets: [{cidr: 10.20.0.0/16}, {cidr: "fd20::/48"}, {cidr: 10.21.0.0/16}]`, "subnets", "Too many"},
	{"part as large as all", `role: Primary, subnets: [{cidr: 10.20.0.0/16, hostSubnet: 16}]`, "subnets[0]", "longer than the prefix"},
	{"part of one address", `role: Primary, subnets: [{cidr: 10.20.0.0/16, hostSubnet: 32}]`, "subnets[0]", "less than 32"},
	{"part of nothing", `role: Primary, subnets: [{cidr: 10.20.0.0/16, hostSubnet: 0}]`, "subnets[0].hostSubnet", "greater than or equal to 1"},
	{"part too small", `role: Primary, subnets: [{cidr: "fd20::/48", hostSubnet: 128}]`, "subnets[0].hostSubnet", "less than or equal to 127"},
	{"mtu small for IPv6", `role: Primary, subnets: [{cidr: "fd20::/48"}], mtu: 1279`, "", "at least 1280"},
	{"join of a secondary", `role: Secondary, subnets: [{cidr: 10.20.0.0/16}], joinSubnets: [100.66.0.0/16]`, "", "joinSubnets is for Primary"},
}

var localnet = []networkCase{
	{"subnet", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], excludeSubnets: [10.20.0.0/24], vlan: {mode: Access, access: {id: 40}}`, "", ""},
	{"no addresses", `role: Secondary, physicalNetworkName: rack, ipam: {mode: Disabled}`, "", ""},
	{"no physical network", `role: Secondary, subnets: [10.20.0.0/16]`, "physicalNetworkName", "Required"},
	{"empty physical network", `role: Secondary, physicalNetworkName: "", subnets: [10.20.0.0/16]`, "physicalNetworkName", "at least 1 chars"},
	{"long physical network", `role: Secondary, physicalNetworkName: ` + strings.Repeat("a", 254) + `, subnets: [10.20.0.0/16]`, "physicalNetworkName", "Too long"},
	{"comma", `role: Secondary, physicalNetworkName: "a,b", subnets: [10.20.0.0/16]`, "physicalNetworkName", "no ','"},
	{"colon", `role: Secondary, physicalNetworkName: "a:b", subnets: [10.20.0.0/16]`, "physicalNetworkName", "no ':'"},
	{"no role", `physicalNetworkName: rack, subnets: [10.20.0.0/16]`, "role", "Required"},
	{"primary", `role: Primary, physicalNetworkName: rack, subnets: [10.20.0.0/16]`, "role", "Unsupported"},
	{"no subnets", `role: Secondary, physicalNetworkName: rack`, "", "subnets must be given"},
	{"no subnets, addresses on", `role: Secondary, physicalNetworkName: rack, ipam: {mode: Enabled}`, "", "subnets must be given"},
	{"subnets without addresses", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], ipam: {mode: Disabled}`, "", "not both"},
	{"empty ipam", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], ipam: {}`, "ipam", "has none"},
	{"kept without addresses", `role: Secondary, physicalNetworkName: rack, ipam: {mode: Disabled, lifecycle: Persistent}`, "ipam", "lifecycle Persistent needs"},
	{"subnet no CIDR", `role: Secondary, physicalNetworkName: rack, subnets: [rack]`, "subnets[0]", "must be a CIDR"},
	{"one family twice", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16, 10.21.0.0/16]`, "subnets", "different IP families"},
	{"two IPv6", `role: Secondary, physicalNetworkName: rack, subnets: ["fd20::/64", "fd21::/64"]`, "subnets", "different IP families"},
	{"excluded without subnets", `role: Secondary, physicalNetworkName: rack, ipam: {mode: Disabled}, excludeSubnets: [10.20.0.0/24]`, "", "excludeSubnets needs subnets"},
	{"excluded no CIDR", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], excludeSubnets: [rack]`, "excludeSubnets[0]", "must be a CIDR"},
	{"excluded empty", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], excludeSubnets: []`, "excludeSubnets", "at least one item"},
	{"excluded 26 times", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], excludeSubnets: [` + strings.Repeat("10.20.0.0/24, ", 25) + `10.20.0.0/24]`, "excludeSubnets", "Too many"},
	{"mtu small", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], mtu: 575`, "mtu", "greater than or equal to 576"},
	{"mtu large", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], mtu: 65537`, "mtu", "less than or equal to 65536"},
	{"mtu small for IPv6", `role: Secondary, physicalNetworkName: rack, subnets: ["fd20::/64"], mtu: 1279`, "", "at least 1280"},
	{"vlan without mode", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], vlan: {access: {id: 40}}`, "vlan.mode", "Required"},
	{"vlan of another mode", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], vlan: {mode: Trunk}`, "vlan.mode", "Unsupported"},
	{"vlan without access", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], vlan: {mode: Access}`, "vlan", "needs access"},
	{"vlan without id", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], vlan: {mode: Access, access: {}}`, "vlan.access.id", "Required"},
	{"vlan 0", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], vlan: {mode: Access, access: {id: 0}}`, "vlan.access.id", "greater than or equal to 1"},
	{"vlan 4095", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], vlan: {mode: Access, access: {id: 4095}}`, "vlan.access.id", "less than or equal to 4094"},
	{"any MAC with addresses", `role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16], macSecurity: {mode: Disabled}`, "", "needs ipam.mode Disabled"},
}

const (
	primary2   = `topology: Layer2, layer2: {role: Primary, subnets: [10.20.0.0/16]}`
	secondary2 = `topology: Layer2, layer2: {role: Secondary, subnets: [10.20.0.0/16]}`
	primary3   = `topology: Layer3, layer3: {role: Primary, subnets: [{cidr: 10.20.0.0/16}]}`
	secondary3 = `topology: Layer3, layer3: {role: Secondary, subnets: [{cidr: 10.20.0.0/16}]}`
	onRack     = `topology: Localnet, localnet: {role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16]}`
	direct     = `noOverlay: {outboundSNAT: Enabled, routing: Managed}`
)

// cluster are whole specs of networks of ClusterUserDefinedNetworks.
var cluster = []networkCase{
	{"no topology", `layer2: {role: Primary, subnets: [10.20.0.0/16]}`, "topology", "Required"},
	{"topology of another", `topology: Layer4`, "topology", "Unsupported"},
	{"layer 2 without", `topology: Layer2`, "", "layer2 belongs"},
	{"layer 3 without", `topology: Layer3`, "", "layer3 belongs"},
	{"localnet without", `topology: Localnet`, "", "localnet belongs"},
	{"localnet with layer 3", onRack + `, layer3: {role: Secondary, subnets: [{cidr: 10.20.0.0/16}]}`, "", "layer3 belongs"},
	{"layer 2 with localnet", secondary2 + `, localnet: {role: Secondary, physicalNetworkName: rack, subnets: [10.20.0.0/16]}`, "", "localnet belongs"},
	{"geneve", primary3 + `, transport: Geneve`, "", ""},
	{"transport of another", primary3 + `, transport: Pigeon`, "transport", "Unsupported"},
	{"no overlay", primary3 + `, transport: NoOverlay, ` + direct, "", ""},
	{"no overlay on layer 2", primary2 + `, transport: NoOverlay, ` + direct, "", "NoOverlay is for Primary"},
	{"no overlay on a secondary", secondary3 + `, transport: NoOverlay, ` + direct, "", "NoOverlay is for Primary"},
	{"no overlay on a localnet", onRack + `, transport: NoOverlay, ` + direct, "", "NoOverlay is for Primary"},
	{"no overlay without options", primary3 + `, transport: NoOverlay`, "", "noOverlay belongs"},
	{"options with geneve", primary3 + `, transport: Geneve, ` + direct, "", "noOverlay belongs"},
	{"options alone", primary3 + `, ` + direct, "", "noOverlay belongs"},
	{"options without routing", primary3 + `, transport: NoOverlay, noOverlay: {outboundSNAT: Enabled}`, "noOverlay.routing", "Required"},
	{"evpn layer 2", primary2 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 7, routeTarget: "65000:7"}, ipVRF: {vni: 8}}`, "", ""},
	{"evpn layer 3", primary3 + `, transport: EVPN, evpn: {vtep: v, ipVRF: {vni: 16777215, routeTarget: "4294967295:16777215"}}`, "", ""},
	{"evpn without its part", primary2 + `, transport: EVPN`, "", "evpn belongs"},
	{"evpn without its transport", primary2 + `, evpn: {vtep: v, macVRF: {vni: 7}}`, "", "evpn belongs"},
	{"evpn on a secondary", secondary2 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 7}}`, "", "EVPN is for Primary"},
	{"evpn on a localnet", onRack + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 7}}`, "", "EVPN is for Primary"},
	{"evpn layer 2 without MAC", primary2 + `, transport: EVPN, evpn: {vtep: v, ipVRF: {vni: 7}}`, "", "macVRF is needed"},
	{"evpn layer 3 without IP", primary3 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 7}}`, "", "ipVRF is needed"},
	{"evpn layer 3 with MAC", primary3 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 7}, ipVRF: {vni: 8}}`, "", "macVRF must not"},
	{"evpn without VRF", primary2 + `, transport: EVPN, evpn: {vtep: v}`, "evpn", "macVRF or ipVRF"},
	{"evpn without VTEP", primary2 + `, transport: EVPN, evpn: {macVRF: {vni: 7}}`, "evpn.vtep", "Required"},
	{"evpn with an empty VTEP", primary2 + `, transport: EVPN, evpn: {vtep: "", macVRF: {vni: 7}}`, "evpn.vtep", "at least 1 chars"},
	{"vni 0", primary2 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 0}}`, "evpn.macVRF.vni", "greater than or equal to 1"},
	{"vni too large", primary2 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 16777216}}`, "evpn.macVRF.vni", "less than or equal to"},
	{"target of words", primary2 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 7, routeTarget: here}}`, "evpn.macVRF.routeTarget", "two numbers"},
	{"target with AS 0", primary2 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 7, routeTarget: "0:7"}}`, "evpn.macVRF.routeTarget", "the AS must be"},
	{"target with AS too large", primary2 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 7, routeTarget: "4294967296:7"}}`, "evpn.macVRF.routeTarget", "the AS must be"},
	{"target with VNI 0", primary2 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 7, routeTarget: "65000:0"}}`, "evpn.macVRF.routeTarget", "the VNI must be"},
	{"target with VNI too large", primary2 + `, transport: EVPN, evpn: {vtep: v, macVRF: {vni: 7, routeTarget: "65000:16777216"}}`, "evpn.macVRF.routeTarget", "the VNI must be"},
}

// namespaced are whole specs of UserDefinedNetworks.
var namespaced = []networkCase{
	{"no topology", `layer2: {role: Primary, subnets: [10.20.0.0/16]}`, "spec.topology", "Required"},
	{"localnet", `topology: Localnet`, "spec.topology", "Unsupported"},
	{"layer 2 without", `topology: Layer2`, "spec", "layer2 belongs"},
	{"layer 3 with layer 2", primary3 + `, layer2: {role: Primary, subnets: [10.21.0.0/16]}`, "spec", "layer2 belongs"},
}

const (
	selectsCUDN = `networkSelectors: [{networkSelectionType: ClusterUserDefinedNetworks, clusterUserDefinedNetworkSelector: {networkSelector: {matchLabels: {a: b}}}}]`
	joinsBy     = `connectSubnets: [{cidr: 192.168.0.0/16, networkPrefix: 24}]`
	podsOnly    = `connectivity: [PodNetwork]`
)

// connects are whole specs of ClusterNetworkConnects.
var connects = []networkCase{
	{"one selector", selectsCUDN + `, ` + joinsBy + `, ` + podsOnly, "", ""},
	{"two families, both services", `networkSelectors: [{networkSelectionType: PrimaryUserDefinedNetworks, primaryUserDefinedNetworkSelector: {namespaceSelector: {}}}], connectSubnets: [{cidr: 192.168.0.0/16, networkPrefix: 24}, {cidr: "fd01::/64", networkPrefix: 120}], connectivity: [PodNetwork, ClusterIPServiceNetwork]`, "", ""},
	{"host bits that differ", `networkSelectors: [{networkSelectionType: PrimaryUserDefinedNetworks, primaryUserDefinedNetworkSelector: {namespaceSelector: {}}}], connectSubnets: [{cidr: "fd01::/64", networkPrefix: 96}, {cidr: 192.168.0.0/16, networkPrefix: 24}], connectivity: [PodNetwork]`, "spec.connectSubnets", "same number of host bits"},
	{"no selectors", joinsBy + `, ` + podsOnly, "spec.networkSelectors", "Required"},
	{"empty selectors", `networkSelectors: [], ` + joinsBy + `, ` + podsOnly, "spec.networkSelectors", "at least one item"},
	{"six selectors", `networkSelectors: [` + strings.Repeat(`{networkSelectionType: PrimaryUserDefinedNetworks, primaryUserDefinedNetworkSelector: {namespaceSelector: {}}}, `, 6) + `], ` + joinsBy + `, ` + podsOnly, "spec.networkSelectors", "Too many"},
	{"type of another", `networkSelectors: [{networkSelectionType: Everything}], ` + joinsBy + `, ` + podsOnly, "spec.networkSelectors[0].networkSelectionType", "Unsupported"},
	{"no type", `networkSelectors: [{primaryUserDefinedNetworkSelector: {namespaceSelector: {}}}], ` + joinsBy + `, ` + podsOnly, "spec.networkSelectors[0].networkSelectionType", "Required"},
	{"type without its selector", `networkSelectors: [{networkSelectionType: PrimaryUserDefinedNetworks}], ` + joinsBy + `, ` + podsOnly, "spec.networkSelectors[0]", "primaryUserDefinedNetworkSelector belongs"},
	{"selector without its type", `networkSelectors: [{networkSelectionType: PrimaryUserDefinedNetworks, primaryUserDefinedNetworkSelector: {namespaceSelector: {}}, clusterUserDefinedNetworkSelector: {networkSelector: {}}}], ` + joinsBy + `, ` + podsOnly, "spec.networkSelectors[0]", "clusterUserDefinedNetworkSelector belongs"},
	{"secondary networks", `networkSelectors: [{networkSelectionType: SecondaryUserDefinedNetworks, secondaryUserDefinedNetworkSelector: {namespaceSelector: {}, networkSelector: {}}}], ` + joinsBy + `, ` + podsOnly, "spec", "only"},
	{"attachment definitions", `networkSelectors: [{networkSelectionType: NetworkAttachmentDefinitions, networkAttachmentDefinitionSelector: {namespaceSelector: {}, networkSelector: {}}}], ` + joinsBy + `, ` + podsOnly, "spec", "only"},
	{"default network", `networkSelectors: [{networkSelectionType: DefaultNetwork}], ` + joinsBy + `, ` + podsOnly, "spec", "only"},
	{"no connectivity", selectsCUDN + `, ` + joinsBy, "spec.connectivity", "Required"},
	{"empty connectivity", selectsCUDN + `, ` + joinsBy + `, connectivity: []`, "spec.connectivity", "at least one item"},
	{"three connectivities", selectsCUDN + `, ` + joinsBy + `, connectivity: [PodNetwork, ClusterIPServiceNetwork, PodNetwork]`, "spec.connectivity", "Too many"},
	{"connectivity of another", selectsCUDN + `, ` + joinsBy + `, connectivity: [Telepathy]`, "spec.connectivity[0]", "Unsupported"},
	{"connectivity twice", selectsCUDN + `, ` + joinsBy + `, connectivity: [PodNetwork, PodNetwork]`, "spec.connectivity", "anything twice"},
	{"no subnets", selectsCUDN + `, ` + podsOnly, "spec.connectSubnets", "Required"},
	{"three subnets", selectsCUDN + `, connectSubnets: [{cidr: 192.168.0.0/16, networkPrefix: 24}, {cidr: "fd01::/64", networkPrefix: 96}, {cidr: 10.0.0.0/16, networkPrefix: 24}], ` + podsOnly, "spec.connectSubnets", "Too many"},
	{"prefix 0", selectsCUDN + `, connectSubnets: [{cidr: 192.168.0.0/16, networkPrefix: 0}], ` + podsOnly, "spec.connectSubnets[0].networkPrefix", "greater than or equal to 1"},
	{"prefix 128", selectsCUDN + `, connectSubnets: [{cidr: "fd01::/64", networkPrefix: 128}], ` + podsOnly, "spec.connectSubnets[0].networkPrefix", "less than or equal to 127"},
	{"no prefix", selectsCUDN + `, connectSubnets: [{cidr: 192.168.0.0/16}], ` + podsOnly, "spec.connectSubnets[0].networkPrefix", "Required"},
	{"prefix as short as the subnet", selectsCUDN + `, connectSubnets: [{cidr: 192.168.0.0/16, networkPrefix: 16}], ` + podsOnly, "spec.connectSubnets[0]", "longer than the prefix"},
	{"prefix of one address", selectsCUDN + `, connectSubnets: [{cidr: 192.168.0.0/16, networkPrefix: 32}], ` + podsOnly, "spec.connectSubnets[0]", "less than 32"},
	{"subnet with host bits", selectsCUDN + `, connectSubnets: [{cidr: 192.168.0.1/16, networkPrefix: 24}], ` + podsOnly, "spec.connectSubnets[0].cidr", "no host bits"},
	{"subnet no CIDR", selectsCUDN + `, connectSubnets: [{cidr: here, networkPrefix: 24}], ` + podsOnly, "spec.connectSubnets[0].cidr", "must be a CIDR"},
	{"two IPv4", selectsCUDN + `, connectSubnets: [{cidr: 192.168.0.0/16, networkPrefix: 24}, {cidr: 10.0.0.0/16, networkPrefix: 24}], ` + podsOnly, "spec.connectSubnets", "different IP families"},
	{"two IPv6", selectsCUDN + `, connectSubnets: [{cidr: "fd01::/64", networkPrefix: 96}, {cidr: "fd02::/64", networkPrefix: 96}], ` + podsOnly, "spec.connectSubnets", "different IP families"},
}

// Networks that an API server refuses are refused with the field, and the others are accepted.
func TestNetworksThatAreRefused(t *testing.T) {
	tried := 0
	run := func(k model.Kind, at, form string, cases []networkCase) {
		for _, c := range cases {
			tried++
			field := strings.TrimSuffix(at+"."+c.field, ".")
			if at == "" {
				field = c.field
			}
			t.Run(string(k)+"/"+at+"/"+c.name, func(t *testing.T) {
				spec := fmt.Sprintf(form, c.spec)
				issues := judgeNetwork(t, k, spec, "")
				if c.want == "" {
					if len(issues) > 0 {
						t.Errorf("refused: %+v", issues)
					}
					return
				}
				for _, i := range issues {
					if i.Field == field && strings.Contains(i.Message, c.want) && i.Severity == model.SeverityError {
						return
					}
				}
				t.Errorf("%s: want %q at %s, got %+v", spec, c.want, field, issues)
			})
		}
	}
	const selected = `namespaceSelector: {matchLabels: {a: b}}, network: `
	run(model.KindUDN, "spec.layer2", `topology: Layer2, layer2: {%s}`, flat)
	run(model.KindCUDN, "spec.network.layer2", selected+`{topology: Layer2, layer2: {%s}}`, flat)
	run(model.KindUDN, "spec.layer3", `topology: Layer3, layer3: {%s}`, routed)
	run(model.KindCUDN, "spec.network.layer3", selected+`{topology: Layer3, layer3: {%s}}`, routed)
	run(model.KindCUDN, "spec.network.localnet", selected+`{topology: Localnet, localnet: {%s}}`, localnet)
	run(model.KindCUDN, "spec.network", selected+`{%s}`, cluster)
	run(model.KindUDN, "", `%s`, namespaced)
	run(model.KindCNC, "", `%s`, connects)
	t.Logf("%d networks tried", tried)
}

// A network whose status a controller wrote was accepted: what today's schema refuses is a warning.
func TestNetworkThatItsClusterAccepted(t *testing.T) {
	issues := judgeNetwork(t, model.KindUDN, `topology: Layer2, layer2: {role: Primary}`,
		`{conditions: [{type: NetworkCreated, status: "True"}]}`)
	if len(issues) != 1 || issues[0].Severity != model.SeverityWarning {
		t.Errorf("got %+v, want one warning", issues)
	}
}

func judgeNetwork(t *testing.T, k model.Kind, spec, status string) []Issue {
	t.Helper()
	if status == "" {
		status = "{}"
	}
	text := fmt.Sprintf("apiVersion: k8s.ovn.org/v1\nkind: %s\nmetadata: {name: net}\nspec: {%s}\nstatus: %s\n", k, spec, status)
	root, err := yamltree.ParseFlat([]byte(text), yamltree.DefaultAliasNodes)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return JudgeTree(k, yamltree.JSONValue(root).(map[string]any), nil, "")
}
