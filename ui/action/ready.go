package action

// The actions of the view of what controllers reported.
const (
	ReadyTrouble    ID = "ready.trouble"
	ReadyController ID = "ready.controller"
	ReadyPolicy     ID = "ready.policy"
)

var readyActions = []Action{
	{ID: ReadyTrouble, Keys: []string{"V"}, Title: "trouble only", Footer: 20, Help: "show only policies that a controller reported not ready or whose rows differ, or all again"},
	{ID: ReadyController, Keys: []string{"c"}, Title: "controller's log", Footer: 30, Help: "what the ovnkube-controller of the zone, or of the worst zone, wrote about the policy", Disabled: OnCluster},
	{ID: ReadyPolicy, Keys: []string{"o"}, Title: "policy", Footer: 40, Help: "go to the policy"},
}
