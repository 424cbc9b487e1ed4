import {
  to = fleet_workload.web
  id = "cluster=member-1,apiVersion=apps/v1,kind=Deployment,namespace=shop,name=web"
}
