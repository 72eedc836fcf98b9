declare module "fast-check-itself" {
  import fc from "fast-check"

  export default fc
}
