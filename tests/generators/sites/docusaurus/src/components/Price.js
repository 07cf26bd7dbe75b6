import React from "react";

export default function Price({ of }) {
  return <b className="price">{of}</b>;
}
