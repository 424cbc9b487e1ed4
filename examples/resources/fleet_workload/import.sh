terraform import fleet_workload.web cluster=member-1,apiVersion=apps/v1,kind=Deployment,namespace=shop,name=web
