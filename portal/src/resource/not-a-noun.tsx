import { Link } from '@tanstack/react-router';
import { Empty, PageHead } from '../ui/states.tsx';

export const NotANoun = () => (
  <>
    <PageHead title="There is no such product page" />
    <Empty title="The address names nothing that this service has">
      <Link to="/" className="link">
        Home
      </Link>
    </Empty>
  </>
);
