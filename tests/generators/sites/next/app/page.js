export default function Home() {
  return <h1>Harbour notes</h1>;
}
